import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { creditRemaining, parseMicros } from '#billing';
import { findAccount, suppress } from '#persistence';
import { eventually } from '../support/eventually.js';
import { ANOTHER_BROWSER, type ConsoleStage, holdAct, type OpenPage } from './console-stage.js';
import { hasFocus, judgePage, settled } from './judge-page.js';
import { asOwner, goTo, signInOwner } from './sign-in.js';

/** The pages of the menu, by their names in it, with a word that stands on each when it has been loaded. */
const PAGES = [
  ['Overview', 'overview', 'Where it goes'],
  ['Messages', 'messages', 'Accepted'],
  ['Scheduled', 'scheduled', 'Will be sent'],
  ['Deposits', 'deposits', 'Invoice 2026-131'],
  ['Ledger', 'ledger', 'Balance after'],
  ['Statements', 'statements', 'Opening balance'],
  ['Usage', 'usage', 'Cost of a message'],
  ['API keys', 'keys', 'Web shop'],
  ['Webhooks', 'webhooks', 'Last success'],
] as const;

/** What owners of accounts do in their console. */
export function ownerJourneys(stage: () => ConsoleStage): void {
  const signedIn = (work: (open: OpenPage) => Promise<void>, path = '/') => asOwner(stage(), work, { path });

  describe('the owner of an account', () => {
    test('signs in with an API key, which is kept nowhere, and signs out', () =>
      stage().visit(stage().ownerUrl, async ({ page, faults }) => {
        await judgePage(page, 'owner/sign-in');
        faults.expectRefusal(401);
        await page.keyboard.type('hg_wrong');
        await page.keyboard.press('Enter');
        await page.getByText('The API key is not valid.').waitFor();
        await signInOwner(page, stage());
        const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
        expect(kept).toContain('hgc_');
        expect(kept).not.toContain(stage().demo.apiKey);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in to your account' }).waitFor();
        expect(await page.evaluate('sessionStorage.length')).toBe(0);
      }));

    // One visit for all pages: each load of a page compiles the scripts of the console, and axe, anew.
    test('reads every page of the menu in light, in the dark and on a phone', () =>
      signedIn(async ({ page }) => {
        for (const [title, name, word] of PAGES) {
          // The visit begins there.
          if (name !== 'overview') await goTo(page, title);
          // A page is judged and shown without a link under the pointer.
          await page.mouse.move(0, 0);
          await page.getByText(word).first().waitFor();
          await judgePage(page, `owner/${name}`);
        }
      }));

    test('puts a number on the list of opt-outs, looks it up and pages through the list', async () => {
      const { accountId, apiKey } = await stage().openAccount('Garden Club');
      const { database } = stage().service;
      for (let n = 0; n < 50; n += 1)
        await suppress(database, accountId, `467030000${10 + n}`, { source: 'recipient' });
      await asOwner(
        stage(),
        async ({ page }) => {
          const list = page.getByRole('region', { name: 'Opt-outs' });
          await page.getByRole('button', { name: 'Add a number' }).click();
          const dialog = page.getByRole('dialog', { name: 'Add a number' });
          await hasFocus(dialog.getByLabel('Number'));
          await page.keyboard.type('+46 70 300 99 99\n');
          await list.getByText('You', { exact: true }).waitFor();
          await page.getByText('1 to 50 of 51').waitFor();
          await judgePage(page, 'owner/opt-outs');
          await page.getByRole('button', { name: 'Next' }).click();
          await page.getByText('51 to 51 of 51').waitFor();
          expect(await list.getByText('You', { exact: true }).count()).toBe(0);
          const search = page.getByRole('form', { name: 'Look it up' });
          await search.getByLabel('Number').fill('0046 70 300 99 99');
          await search.getByRole('button', { name: 'Look it up' }).click();
          await list.getByText('You', { exact: true }).waitFor();
          expect(await list.getByText('The recipient').count()).toBe(0);
          await search.getByLabel('Number').fill('+46703009998');
          await search.getByRole('button', { name: 'Look it up' }).click();
          await page.getByText('This number is not on the list').waitFor();
        },
        { path: '/opt-outs', apiKey },
      );
    });

    test('follows a message to its segments, its money and the reason of its end', () =>
      signedIn(async ({ page, faults }) => {
        await settled(page);
        await page.getByRole('table').getByRole('link').first().click();
        await page.getByRole('heading', { name: /^Message to/ }).waitFor();
        await page.getByText('Life line').waitFor();
        await page
          .getByText(/charged$/)
          .first()
          .waitFor();
        await judgePage(page, 'owner/message');
        // A page over plain HTTP has no clipboard of its own.
        await page.evaluate('delete Navigator.prototype.clipboard');
        await page.getByRole('button', { name: /^Copy / }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        // What does not exist is not there at the second try either.
        faults.expectRefusal(404);
        await page.goto('/messages/5f2a9a64-0000-4000-8000-000000000000');
        await page.getByText('This does not exist, or no longer.').waitFor();
        expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      }, '/messages?status=undelivered'));

    test('reads the usage of 30 days at an address with a wrong number of days', () =>
      signedIn(async ({ page }) => {
        await page.getByText('Cost of a message').waitFor();
        expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
        // Also with a clock that is 40 days ahead, and in Arabic; the day is written from left to right.
        const added = await page.addInitScript(ANOTHER_BROWSER);
        await page.reload();
        const day = page.getByRole('region', { name: 'Usage' }).getByRole('cell').first();
        expect(await day.textContent()).toMatch(/^\w{3}\s\d{1,2},\s\d{4}$/);
        await added.dispose();
      }, '/usage?days=abc'));

    test('takes the statement of a month as a file that ends with the balance of the page', () =>
      signedIn(async ({ page }) => {
        await page.getByText('Opening balance').waitFor();
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'Export as CSV' }).click(),
        ]);
        const lines = readFileSync(await download.path(), 'utf8')
          .trimEnd()
          .split('\r\n');
        const [last = '', column] = [lines.at(-1), lines[0]?.split(',').indexOf('change') ?? -1];
        expect(last).toMatch(/^provisional,/);
        const account = await findAccount(stage().service.database, stage().demo.accountId);
        expect(parseMicros(last.split(',')[column] ?? '')).toBe(creditRemaining(account));
        // On a sheet of A4: all columns, whose statement it is, and nothing that is pressed.
        await page.setViewportSize({ width: 718, height: 1_000 });
        await page.emulateMedia({ media: 'print' });
        await page.getByRole('columnheader', { name: 'Price of a segment' }).waitFor();
        expect(await page.getByText('Nordlicht Coffee').isVisible()).toBe(true);
        expect(await page.getByRole('button').count()).toBe(0);
        await page.emulateMedia({ media: null, colorScheme: 'dark' });
        const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
        await eventually(async () => (await ground()) === 'rgb(18, 22, 29)');
        await page.evaluate(`addEventListener('beforeprint', () => {
          document.title = getComputedStyle(document.body).backgroundColor;
        })`);
        await page.pdf();
        expect(await page.title()).toBe('rgb(246, 247, 249)');
        await eventually(async () => (await ground()) === 'rgb(18, 22, 29)');
      }, '/statements'));

    test('cancels a scheduled message after a look at the money, and has it back', () =>
      signedIn(async ({ page }) => {
        await page
          .getByRole('button', { name: /^Cancel the message to/ })
          .first()
          .click();
        const dialog = page.getByRole('dialog', { name: 'Cancel this message?' });
        await dialog.getByText('goes back to the balance').waitFor();
        await dialog.getByRole('button', { name: 'Cancel the message' }).click();
        await page.getByText('is back on the balance').waitFor();
        // The row is gone, and its button with it.
        const list = page.getByRole('region', { name: 'Scheduled' });
        await hasFocus(list);
      }, '/scheduled'));

    test('makes a key, sees it once, replaces it by another one, and revokes it', () =>
      signedIn(async ({ page }) => {
        await page.getByRole('button', { name: 'Make a key' }).click();
        await page.getByRole('textbox', { name: 'Name' }).fill('Till at the harbour');
        await judgePage(page, 'owner/make-key');
        // A contrast theme takes the ground of a box away, and its tick is still seen.
        await page.emulateMedia({ forcedColors: 'active' });
        expect(await page.evaluate(GROUND_AND_TICK)).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
        await page.emulateMedia({ forcedColors: null });
        // A year with a digit too much is no time, and is told by the browser.
        const end = page.getByRole('dialog').getByLabel('Ends on');
        await end.fill('20266-01-01');
        await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
        expect(await end.evaluate((field) => field.matches(':out-of-range'))).toBe(true);
        await end.fill('');
        await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
        const made = await page.getByRole('dialog').locator('code').textContent();
        expect(made).toMatch(/^hg_[0-9a-z]{8}_/);
        await page.getByRole('button', { name: 'I have kept it' }).click();
        await page.getByRole('button', { name: 'Act on the key Till at the harbour' }).click();
        await page.getByRole('menuitem', { name: 'Replace' }).click();
        await page.getByRole('dialog').getByLabel('The old key works for').selectOption('another hour');
        await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
        const replaced = await page.getByRole('dialog').locator('code').textContent();
        expect([replaced, replaced === made]).toEqual([expect.stringMatching(/^hg_/), false]);
        await page.getByRole('button', { name: 'I have kept it' }).click();
        await page.getByRole('button', { name: 'Act on the key Till at the harbour' }).first().click();
        await page.getByRole('menuitem', { name: 'Revoke' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await page.getByText('The key “Till at the harbour” is revoked.').waitFor();
      }, '/keys'));

    test('keeps what was typed when the session ends, and goes on after signing in again', () =>
      signedIn(async ({ page, faults }) => {
        await page.getByRole('button', { name: 'Make a key' }).click();
        await page.getByRole('textbox', { name: 'Name' }).fill('Written before the end');
        faults.expectRefusal(401);
        await stage().endTokens(page);
        await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
        const again = page.getByRole('dialog', { name: 'Sign in again' });
        // The key closes dialogs, but not the one that waits under this one.
        await page.keyboard.press('Escape');
        await again.getByLabel('API key').fill(stage().demo.apiKey);
        await again.getByRole('button', { name: 'Sign in', exact: true }).click();
        await again.waitFor({ state: 'detached' });
        expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Written before the end');
      }, '/keys'));

    test('is told by words and colour that a test key is for tests', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('Test mode: messages of this key are simulated').waitFor();
          await judgePage(page, 'owner/test-mode');
        },
        { apiKey: stage().demo.testKey },
      ));

    test('sets the test balance, which is refused if it is no amount', () =>
      asOwner(
        stage(),
        async ({ page, faults }) => {
          faults.expectRefusal(400);
          await page.getByRole('button', { name: 'Set the test balance' }).click();
          const dialog = page.getByRole('dialog', { name: 'Set the test balance' });
          await dialog.getByLabel('Amount in EUR').fill('much');
          const slow = await holdAct(page, '**/v1/account/test-balance');
          await dialog.getByRole('button', { name: 'Set it' }).click();
          // Whoever loses patience is still told what is wrong.
          await page.keyboard.press('Escape');
          slow.letGo();
          await dialog.getByText('This is no amount from 0 to 1000000.').waitFor();
          await judgePage(page, 'owner/test-balance');
          await dialog.getByLabel('Amount in EUR').fill('25.50');
          await dialog.getByRole('button', { name: 'Set it' }).click();
          await page.getByText('Test messages have €25.50 to spend.').waitFor();
          await page.getByRole('banner').getByText('€25.50').waitFor();
          await judgePage(page, 'owner/deposits-test');
        },
        { apiKey: stage().demo.testKey, path: '/deposits' },
      ));

    test('reaches every page with the keyboard alone', () =>
      signedIn(async ({ page }) => {
        await settled(page);
        await page.keyboard.press('Tab');
        expect(await focused(page)).toBe('Skip to the content');
        const reached = new Set<string>();
        for (let press = 0; press < 30; press++) {
          await page.keyboard.press('Tab');
          reached.add(await focused(page));
        }
        for (const name of ['Messages', 'Inbox', 'Scheduled', 'Usage', 'Ledger', 'Deposits', 'API keys', 'Webhooks']) {
          expect([...reached]).toContain(name);
        }
        await page.getByRole('link', { name: 'Ledger', exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Ledger' }).waitFor();
        expect(await focused(page)).toBe('Ledger');
      }));
  });
}

// Runs in the page.
const GROUND_AND_TICK = `(() => {
  const box = document.querySelector('[role=dialog] input[type=checkbox]:checked');
  return [getComputedStyle(box).backgroundColor, getComputedStyle(box.nextElementSibling).color];
})()`;

function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement?.textContent?.trim() ?? ""');
}
