import type { Page } from 'playwright-core';
import type { ConsoleStage } from './console-stage.js';

/** Signs in as the owner of the demo account, or with another key, on the page that asks for one. */
export async function signInOwner(page: Page, stage: ConsoleStage, apiKey = stage.demo.apiKey): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}
