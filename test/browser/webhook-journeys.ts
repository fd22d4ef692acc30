import { describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { TestReceiver } from '../support/webhooks.js';
import type { ConsoleStage } from './console-stage.js';
import { expectNoScrolledTable, hasFocus, judgePage } from './judge-page.js';
import { asAdmin, asOwner } from './sign-in.js';

/** Webhooks, as the owner of an account sets them up and mends them, and as an operator helps. */
export function webhookJourneys(stage: () => ConsoleStage): void {
  describe('webhooks', () => {
    test('an owner adds one, sees in its log why an event did not arrive, and sends it again', async () => {
      const { apiKey } = await stage().openAccount('Bike Courier', 10_000_000n);
      const receiver = await TestReceiver.start();
      receiver.answer = 500;
      const arrived = (count: number) => eventually(() => receiver.received.length >= count);
      try {
        await asOwner(
          stage(),
          async ({ page }) => {
            await page.getByText('No webhook yet').waitFor();
            await page.getByRole('button', { name: 'Add a webhook' }).click();
            const dialog = page.getByRole('dialog');
            await dialog.getByLabel('Address').fill(`${receiver.url}?token=${'t'.repeat(120)}`);
            await dialog.getByLabel('Description').fill('Order desk');
            await judgePage(page, 'owner/make-webhook');
            await dialog.getByRole('button', { name: 'Add a webhook' }).click();
            expect(await dialog.locator('code').textContent()).toMatch(/^whsec_/);
            await dialog.getByRole('button', { name: 'I have kept it' }).click();
            await page.getByRole('link', { name: /Order desk/ }).click();
            await page.getByText('Nothing was sent yet').waitFor();

            await stage().send(apiKey, '+46701234505', 'Your parcel is on its way.');
            await arrived(1);
            const log = page.getByRole('region', { name: 'Delivery log' });
            await log.getByText('the receiver answered 500').first().waitFor();
            await judgePage(page, 'owner/webhook');
            receiver.answer = 200;
            let replays = 0;
            page.on('request', (request) => {
              replays += Number(request.url().endsWith('/replay'));
            });
            await log.getByRole('button', { name: 'Send again: message.delivered' }).first().dblclick();
            await log.getByText('message.delivered (replay)').first().waitFor();
            await log.getByText('Delivered').first().waitFor();
            expect(replays).toBe(1);
            await page.getByLabel('Outcome').selectOption('Given up');
            await page.getByText('No attempt fits').waitFor();
            await page.getByLabel('Outcome').selectOption('Delivered');
            await log.getByText('message.delivered (replay)').first().waitFor();
            expect(await log.getByText('Failed').count()).toBe(0);
            // Days begin by the reader's clock: in Berlin, an hour or two before those in UTC.
            await page.getByLabel('From', { exact: true }).fill('2026-01-02');
            await page.getByLabel('Until', { exact: true }).fill('2127-01-02');
            const [asked] = await Promise.all([
              page.waitForRequest((request) => request.url().includes('from=')),
              page.keyboard.press('Enter'),
            ]);
            const { searchParams } = new URL(asked.url());
            expect(searchParams.get('from')).toBe('2026-01-01T23:00:00.000Z');
            // The last day is one of them, as in the list of messages.
            expect(searchParams.get('to')).toBe('2127-01-02T23:00:00.000Z');
            await page.getByLabel('Event', { exact: true }).selectOption('webhook.test');
            await page.getByText('No attempt fits').waitFor();
            await page.getByLabel('Event', { exact: true }).selectOption('Any event');
            // A repeat has the id of the event, so that the receiver can tell.
            expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
          },
          { path: '/webhooks', apiKey },
        );

        await asAdmin(
          stage(),
          async ({ page }) => {
            const more = page.getByRole('button', { name: `More: ${receiver.url}` });
            await more.click();
            await page.getByRole('menuitem', { name: 'Disable' }).click();
            // All of the long address is read.
            const asked = page.getByRole('dialog', { name: 'Disable this webhook?' });
            expect(await asked.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
            await asked.getByRole('button', { name: 'Cancel' }).click();
            await page.route('**/attempts?*', async (route) => {
              const response = await route.fetch();
              const { data, next } = (await response.json()) as { data: object[]; next: null };
              const error = 'the name of the receiver was not found';
              await route.fulfill({
                response,
                json: { data: data.map((row) => ({ ...row, httpStatus: undefined, error })), next },
              });
            });
            await more.click();
            await page.getByRole('menuitem', { name: 'Attempts' }).click();
            const drawer = page.getByRole('dialog', { name: 'Attempts' });
            await drawer.getByText('message.delivered').first().waitFor();
            await judgePage(page, 'operator/webhook-attempts');
            await expectNoScrolledTable(page, 'operator/webhook-attempts');
            const before = receiver.received.length;
            await drawer.getByRole('button', { name: 'Send again: message.delivered' }).first().click();
            await arrived(before + 1);
            // All events of a day, in the zone of the browser.
            await drawer.getByRole('button', { name: 'Send past events again' }).click();
            const replaying = page.getByRole('dialog', { name: 'Send past events again' });
            const again = replaying.getByRole('button', { name: 'Send again' });
            await replaying.getByLabel('Since').fill(minuteOf(-1));
            await replaying.getByLabel('Until').fill(minuteOf(-2));
            await replaying.getByText('This has to be after “Since”.').waitFor();
            expect(await again.isDisabled()).toBe(true);
            await judgePage(page, 'operator/replay');
            await replaying.getByLabel('Until').fill(minuteOf(1));
            await again.click();
            await replaying.waitFor({ state: 'detached' });
            await arrived(before + 2);
            await drawer.press('Escape');
            await drawer.waitFor({ state: 'detached' });
            await hasFocus(more);
          },
          '/webhooks',
        );
      } finally {
        await receiver.close();
      }
    });
  });
}

/** A time some days from now, as a field of the browser in Berlin takes it, to the hour. */
function minuteOf(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
