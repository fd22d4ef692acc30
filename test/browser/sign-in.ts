import type { Page } from 'playwright-core';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import type { ConsoleStage, OpenPage } from './console-stage.js';

/** Signs in as the owner of the demo account, or with another key, on the page that asks for one. */
export async function signInOwner(page: Page, stage: ConsoleStage, apiKey = stage.demo.apiKey): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** A tab in which the first admin is signed in. */
export function asAdmin(stage: ConsoleStage, work: (open: OpenPage) => Promise<void>): Promise<void> {
  return stage.visit(stage.operatorUrl, async (open) => {
    await signInOperator(open.page);
    await work(open);
  });
}

/** Signs in as the first admin. */
export async function signInOperator(page: Page): Promise<void> {
  await fillSignIn(page, 'admin', OPERATOR_PASSWORD);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

export async function fillSignIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.locator('input[type=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A page of the menu, as a person goes there. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}
