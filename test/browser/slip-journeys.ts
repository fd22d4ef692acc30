import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findGuards, setGuards } from '#persistence';
import { eventually } from '../support/eventually.js';
import type { ConsoleStage } from './console-stage.js';
import { hasFocus, settled } from './judge-page.js';
import { asAdmin, asOwner, goTo } from './sign-in.js';

/** What people do without meaning it: a click too many, a key that was cut short, a slip of a finger. */
export function slipJourneys(stage: () => ConsoleStage): void {
  describe('a slip', () => {
    test('a key that was copied with the dots of its short form is told to be none', () =>
      stage().visit(stage().ownerUrl, async ({ page }) => {
        await page.getByLabel('API key').fill('hg_7k2m9x4q…');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('The key is not known, or works no longer.').waitFor();
      }));

    test('filters messages by days that are typed, of which one has 25 hours, and says at its field what is no number', () =>
      asOwner(
        stage(),
        async ({ page, faults }) => {
          await settled(page);
          await page.getByLabel('Until').fill('2026-10-25');
          await page.getByLabel('From').focus();
          // Month and day are the same, whichever the browser asks for first.
          await page.keyboard.type('10102026');
          const [request] = await Promise.all([
            page.waitForRequest(
              (asked) => asked.url().includes('/v1/account/messages?') && asked.url().includes('from='),
            ),
            page.keyboard.press('Enter'),
          ]);
          const { searchParams } = new URL(request.url());
          expect(searchParams.get('from')).toBe('2026-10-09T22:00:00.000Z');
          // In Berlin, the clocks go back on this day.
          expect(searchParams.get('to')).toBe('2026-10-25T23:00:00.000Z');
          // What the service does not accept is said at the field, with the rule.
          faults.expectRefusal(400);
          await page.getByLabel('Recipient').fill('0170 1234567');
          await page.getByRole('button', { name: 'Search' }).click();
          await page.getByText('Write an international number with its country code').waitFor();
          expect(await page.getByLabel('Recipient').getAttribute('aria-invalid')).toBe('true');
          expect(await page.getByText('This could not be loaded').count()).toBe(0);
          await page.getByRole('button', { name: 'Clear filters' }).click();
          await page.getByRole('table').getByRole('link').first().waitFor();
        },
        { path: '/messages' },
      ));

    test('a file whose send is confirmed by a double click is sent once, however slow the machine is', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          const lines = Array.from({ length: 40 }, (_, index) => `+12025${550_000 + index},Your table is free.`);
          const file = { name: 'tables.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
          await page.getByLabel('CSV file').setInputFiles(file);
          await page.getByRole('button', { name: 'Send …' }).click();
          const confirm = page.getByRole('button', { name: /^Send for/ });
          await confirm.waitFor();
          const sends = new Set<string | undefined>();
          page.on('request', (request) => {
            if (request.url().endsWith('/send-batch')) sends.add(request.headers()['idempotency-key']);
          });
          await page.evaluate(SLOW_MACHINE);
          await confirm.dblclick();
          await page.getByRole('heading', { name: 'tables.csv is sent' }).waitFor();
          await settled(page);
          expect(sends.size).toBe(1);
        },
        { path: '/compose/file' },
      ));

    test('whoever has left a send and chooses its file again is told that it may be accepted', () =>
      asOwner(
        stage(),
        async ({ page, faults }) => {
          const buffer = Buffer.from('+12025550901,Your table is free.\n+12025550902,Your table is free.');
          const file = { name: 'waiting-list.csv', mimeType: 'text/csv', buffer };
          await page.getByLabel('CSV file').setInputFiles(file);
          await page.getByRole('button', { name: 'Send …' }).click();
          // The request arrives, but its answer does not.
          await page.route('**/v1/message/send-batch', async (route) => {
            await route.fetch();
            await route.fulfill({ status: 503, headers: { 'retry-after': '20' }, body: '{}' });
          });
          faults.expectRefusal(503);
          await page.getByRole('button', { name: /^Send for/ }).click();
          await page.getByText('Nothing is sent twice.').waitFor();
          await page.getByRole('button', { name: 'Stop' }).click();
          await page.getByRole('button', { name: 'Leave the rest' }).click();
          await page.getByLabel('CSV file').setInputFiles(file);
          await page.getByText('and no answer came: it may be accepted.').waitFor();
        },
        { path: '/compose/file' },
      ));

    test('a number that had no price is asked for again with the next one', () =>
      asOwner(
        stage(),
        async ({ page, faults }) => {
          const errors = [{ field: 'recipient', code: 'no_rate', detail: 'No price.', arrayPosition: 0 }];
          await page.route('**/v1/message/quote', (route) => route.fulfill({ status: 400, json: { errors } }));
          faults.expectRefusal(400);
          await page.getByLabel('Recipients').fill('+46701234567');
          await page.getByText('The tariff has no price for this destination.').waitFor();
          // The operator adds one.
          await page.unroute('**/v1/message/quote');
          await page.getByLabel('Recipients').fill('+46701234567, +46701234568');
          await page.getByText('The tariff has no price').waitFor({ state: 'detached' });
        },
        { path: '/compose' },
      ));

    test('a second click on "Next page" leads no further, and the rows are counted as they are', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          await settled(page);
          await page.getByRole('button', { name: 'Next page' }).dblclick();
          await settled(page);
          await page.getByText(/^26 to 50 of/).waitFor();
          // They are read from the first one on, by eye and by a screen reader.
          const list = page.getByRole('region', { name: 'Messages' });
          await hasFocus(list);
          expect((await list.boundingBox())?.y).toBeGreaterThanOrEqual(0);
        },
        { path: '/messages' },
      ));

    test('a field of a filter that somebody only passes through changes nothing', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          await settled(page);
          const before = await page.evaluate<number>('history.length');
          await page.getByLabel('From').focus();
          await page.keyboard.press('Tab');
          expect(await page.evaluate<number>('history.length')).toBe(before);
          await page.getByLabel('From').fill(' +46 70 123 45 67');
          await page.getByRole('button', { name: 'Search' }).click();
          await page.waitForURL(/sender=%2B46/);
          await page.getByLabel('From').fill(' +46 70 999 88 77');
          await page.getByLabel('Asks for').selectOption('Opt-out');
          await page.waitForURL(/sender=%2B46\+70\+999/);
          // Whoever has mistyped a number types it again.
          await page.goto('/opt-outs');
          const number = page.getByRole('form', { name: 'Look it up' }).getByLabel('Number');
          await number.fill('+46703009998');
          await number.press('Enter');
          await page.getByText('This number is not on the list').waitFor();
          await hasFocus(number);
        },
        { path: '/inbox' },
      ));

    test('a page that a link leads to begins at its top, and "back" at the place of before', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('Cost of a message').waitFor();
          await settled(page);
          const top = () => page.evaluate<number>('scrollY');
          await goTo(page, 'Messages');
          await settled(page);
          await page.evaluate('scrollTo(0, 300)');
          // It was read before, so all of it is there at once.
          await goTo(page, 'Usage');
          await settled(page);
          expect(await top()).toBe(0);
          await page.goBack();
          await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
          await eventually(async () => (await top()) === 300);
        },
        { path: '/usage' },
      ));

    test('the second click on "Disable" does not enable the webhook again', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          await page.getByRole('link', { name: /Web shop/ }).click();
          await secondClick(page, 'Disable', 'Enable');
          await settled(page);
          await page.getByRole('button', { name: 'Enable' }).click();
          await page.getByRole('button', { name: 'Disable' }).waitFor();
        },
        { path: '/webhooks' },
      ));

    test('whoever replaces the only key at once reads the new one, and signs in with it', async () => {
      const { apiKey } = await stage().openAccount('Ferry Office');
      await asOwner(
        stage(),
        async ({ page, faults }) => {
          faults.expectRefusal(401);
          const ended = page.waitForResponse((response) => response.status() === 401);
          await page.getByRole('button', { name: /^Act on the key/ }).click();
          await page.getByRole('menuitem', { name: 'Replace' }).click();
          await page.getByLabel('The old key works for').selectOption('not a moment longer');
          await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
          const secret = page.getByRole('dialog', { name: 'Your new key' });
          await secret.waitFor();
          await ended;
          await settled(page);
          // The session has ended with the old key. The new one is read by eye, by mouse and by keyboard all the same.
          expect(await page.getByRole('dialog').count()).toBe(1);
          await hasFocus(secret.getByRole('button', { name: 'I have kept it' }));
          const made = (await secret.locator('code').textContent()) ?? '';
          await secret.getByRole('button', { name: 'I have kept it' }).click();
          const again = page.getByRole('dialog', { name: 'Sign in again' });
          await again.getByLabel('API key').fill(made);
          await again.getByRole('button', { name: 'Sign in', exact: true }).click();
          await again.waitFor({ state: 'detached' });
          await page.getByRole('row').filter({ hasText: 'This session' }).waitFor();
        },
        { path: '/keys', apiKey },
      );
    });

    test('a closed account is offered nothing that the service refuses to it', async () => {
      const { accountId } = await stage().openAccount('Fog Signals');
      await asAdmin(
        stage(),
        async ({ page }) => {
          await page.getByRole('button', { name: 'More: Fog Signals' }).click();
          await page.getByRole('menuitem', { name: 'Close for good' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Close for good' }).click();
          await page.getByText('Fog Signals is closed.').waitFor();
          await page.getByRole('button', { name: 'New key' }).waitFor({ state: 'detached' });
          await page.getByRole('tab', { name: 'Guards' }).click();
          await page.getByRole('button', { name: 'Try on 7 days' }).waitFor();
          expect(await page.getByRole('button', { name: 'Change guards' }).count()).toBe(0);
        },
        `/accounts/${accountId}?tab=keys`,
      );
    });

    test('a guard with a letter among its digits is refused, and stays as it was', async () => {
      const { database } = stage().service;
      const { accountId } = await stage().openAccount('Lighthouse Tours');
      await setGuards(database, accountId, { recipientHourMax: 10, priceMax: '0.5' });
      await asAdmin(
        stage(),
        async ({ page, faults }) => {
          await page.getByRole('button', { name: 'Change guards' }).click();
          const guards = page.getByRole('dialog', { name: 'Change guards' });
          faults.expectRefusal(400);
          await guards.getByLabel('Messages to a number an hour').fill('1o');
          await guards.getByRole('button', { name: 'Save' }).click();
          await guards.getByText('Messages to a number an hour: This value is not accepted.').waitFor();
          expect((await findGuards(database, accountId)).own).toEqual({ recipientHourMax: 10, priceMax: '0.5' });
          await guards.getByLabel('Messages to a number an hour').fill('Off');
          await guards.getByRole('button', { name: 'Save' }).click();
          await guards.waitFor({ state: 'detached' });
          expect((await findGuards(database, accountId)).own).toEqual({ recipientHourMax: null, priceMax: '0.5' });
        },
        `/accounts/${accountId}?tab=guards`,
      );
    });
  });
}

/** The second click of a double click comes when the button has other words already. */
async function secondClick(page: Page, name: string, then: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.scrollIntoViewIfNeeded();
  const box = await button.boundingBox();
  if (box === null) throw new Error(`no button is called ${name}`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    await page.getByRole('button', { name: then, exact: true }).waitFor();
  }
}

// Runs in the page: whatever is done in slices needs one for each row.
const SLOW_MACHINE = `(() => {
  const now = performance.now.bind(performance);
  let late = 0;
  performance.now = () => now() + (late += 50);
})()`;
