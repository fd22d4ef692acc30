import type { Page } from 'playwright-core';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { OperatorBrowser } from '../support/operator-api.js';
import type { ConsoleStage, OpenPage } from './console-stage.js';

/** Signs in as the owner of the demo account, or with another key, on the page that asks for one. */
export async function signInOwner(page: Page, stage: ConsoleStage, apiKey = stage.demo.apiKey): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** A tab in which an owner is signed in, as the page for that would leave it. */
export async function asOwner(
  stage: ConsoleStage,
  work: (open: OpenPage) => Promise<void>,
  { path = '/', apiKey = stage.demo.apiKey } = {},
): Promise<void> {
  const reply = await fetch(`${stage.ownerUrl}/v1/console/token`, {
    method: 'POST',
    headers: { 'x-authorization': apiKey },
  });
  const session = JSON.stringify(await reply.text());
  // It runs before each page: a session that began later stays.
  const script = `sessionStorage.getItem('heliograph.session') ?? sessionStorage.setItem('heliograph.session', ${session})`;
  return stage.visit(stage.ownerUrl, work, { path, script });
}

/** A tab in which the first admin is signed in. */
export async function asAdmin(stage: ConsoleStage, work: (open: OpenPage) => Promise<void>, path = '/'): Promise<void> {
  const browser = new OperatorBrowser({ operatorPort: stage.service.operatorPort, database: stage.service.database });
  await browser.signIn('admin', OPERATOR_PASSWORD);
  browser.api.close();
  const [name = '', value = ''] = browser.cookie?.split('=') ?? [];
  return stage.visit(stage.operatorUrl, work, {
    path,
    cookie: { name, value, domain: '127.0.0.1', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' },
    script: `localStorage.setItem('heliograph.operator', 'yes')`,
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
