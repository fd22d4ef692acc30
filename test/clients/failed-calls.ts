import { expect } from '@jest/globals';
import type { HeliographError } from '#client';

/** What a call is rejected with, which has to be of this class. */
export async function errorOf<Class extends HeliographError>(
  call: Promise<unknown>,
  type: abstract new (...values: never[]) => Class,
): Promise<Class> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(type);
  return error as Class;
}

/** An answer of the service that refuses. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ code, detail: 'A refusal.', requestId: 'r-1' }, { status, headers });
