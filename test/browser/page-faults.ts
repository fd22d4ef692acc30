import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** What must not happen in a tab: errors on its console, exceptions, breaches of the policy. */
export interface PageFaults {
  /** The service refuses a request as it should; the browser writes that on its console all the same. */
  expectRefusal(status: number): void;
  /** Nothing answers for a while, which the browser writes on its console. */
  expectNoAnswer(): void;
  expectNone(): void;
}

/** Runs in each page of a tab. */
export const TELL_BREACHES = `document.addEventListener('securitypolicyviolation', (breach) =>
  console.error('the policy forbids it:', breach.violatedDirective, breach.blockedURI, breach.sourceFile))`;

/** In a tab that tells breaches of the policy, until its listeners are removed. */
export function watchFaults(page: Page): PageFaults {
  const seen: string[] = [];
  const refusals = new Set<number>();
  page.on('pageerror', (error) => seen.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    if (message.type() === 'error') seen.push(message.text());
  });
  let isAnswered = true;
  const isExpected = (text: string) =>
    (!isAnswered && /net::ERR_(CONNECTION_REFUSED|INTERNET_DISCONNECTED)/.test(text)) ||
    [...refusals].some((status) => text.includes(`responded with a status of ${status} `));
  return {
    expectRefusal: (status) => refusals.add(status),
    expectNoAnswer: () => {
      isAnswered = false;
    },
    expectNone: () => expect(seen.filter((text) => !isExpected(text))).toEqual([]),
  };
}
