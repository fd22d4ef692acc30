import { describe, expect, test } from '@jest/globals';
import { assignNumber, storeInbound } from '#persistence';
import { inboundDelivery } from '../support/inbound.js';
import type { ConsoleStage } from './console-stage.js';
import { expectNothingCut, judgePage } from './judge-page.js';
import { asAdmin, asOwner, goTo } from './sign-in.js';

const TEXT = 'Dear Ms Lind, your test results are ready.';

/** How texts and numbers of people are forgotten, by an owner of an account and by an operator. */
export function privacyJourneys(stage: () => ConsoleStage): void {
  /** An account with a message to each number. */
  const sendTo = async (name: string, numbers: readonly string[]) => {
    const account = await stage().openAccount(name, 10_000_000n);
    const messages = await Promise.all(numbers.map((number) => stage().send(account.apiKey, number, TEXT)));
    return { ...account, messages };
  };

  /** What a handset writes to the account. */
  const writeTo = async (accountId: string, source: string) => {
    const { database } = stage().service;
    const { number: destination } = await assignNumber(database, '46701234599', accountId);
    const [carrier] = await database.query<{ carrier_id: number }>('select min(carrier_id) as carrier_id from carrier');
    const from = { carrierId: carrier?.carrier_id ?? 0, sender: 'Heliograph', isSenderFixed: false };
    await storeInbound(database, from, [inboundDelivery({ source, destination })]);
  };

  describe('privacy', () => {
    test('an owner redacts a message and a number, and chooses how long texts and numbers are kept', async () => {
      const { accountId, apiKey, messages } = await sendTo('Harbour Clinic', ['+46701234511', '+46702234512']);
      const [first, second] = messages;
      await asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('Delivered', { exact: true }).first().waitFor();
          await writeTo(accountId, '46702234512');
          await page.goto(`/messages/${first}`);
          await page.getByText('Delivered', { exact: true }).first().waitFor();
          await expectNothingCut(page, 'owner/message');
          await page.getByRole('button', { name: 'Redact' }).click();
          const dialog = page.getByRole('dialog', { name: 'Remove the text and the number?' });
          await dialog.waitFor();
          await judgePage(page, 'owner/redact-message');
          await dialog.getByRole('button', { name: 'Redact' }).click();
          await page.getByText('The message is redacted.').waitFor();
          await page.getByRole('heading', { name: 'Message to +46701******' }).waitFor();
          await page.getByText('The text is no longer kept').waitFor();
          expect(await page.getByRole('button', { name: 'Redact' }).count()).toBe(0);
          await judgePage(page, 'owner/message-redacted');

          await page.getByRole('link', { name: 'Opt-outs' }).click();
          await page.getByRole('button', { name: 'Forget a number' }).click();
          const forgetting = page.getByRole('dialog', { name: 'Forget a number' });
          await forgetting.getByLabel('Number').fill('+46 70 223 45 12');
          await judgePage(page, 'owner/redact-number');
          await forgetting.getByRole('button', { name: 'Forget a number' }).click();
          await page.getByText('Messages redacted: 2.').waitFor();
          await page.getByRole('button', { name: 'Choose how long' }).click();
          const choosing = page.getByRole('dialog', { name: 'Choose how long' });
          await choosing.getByLabel('Days until texts are removed').fill('1');
          // A colleague with the same account decides about the numbers meanwhile.
          await fetch(`${stage().ownerUrl}/v1/account/retention`, {
            method: 'POST',
            headers: { 'x-authorization': apiKey, 'content-type': 'application/json' },
            body: '{"numberDays":90}',
          });
          await judgePage(page, 'owner/retention');
          await choosing.getByRole('button', { name: 'Save' }).click();
          await page.getByText('Texts are removed 1 day after a message has ended.').waitFor();
          await page.getByText('The last six digits of numbers are removed 90 days after').waitFor();

          await page.goto(`/messages/${second}`);
          await page.getByRole('heading', { name: 'Message to +46702******' }).waitFor();
          await page.goto('/messages');
          await page.getByText('+46701******').first().waitFor();
          expect(await page.content()).not.toContain(TEXT);

          await page.getByRole('link', { name: 'Inbox' }).click();
          const row = page.getByRole('row').filter({ hasText: '+46702******' });
          await row.getByText('No text is kept').waitFor();
        },
        { path: `/messages/${second}`, apiKey },
      );
    });

    test('an operator redacts a message and a number, sets retention, and the audit log keeps it without them', async () => {
      const { accountId, messages } = await sendTo('Quay Dentists', ['+46703234513', '+46704234514']);
      const [first, second] = messages;
      await asAdmin(
        stage(),
        async ({ page, faults }) => {
          // A number that is none.
          faults.expectRefusal(409);
          await page.getByText('delivered').first().waitFor();
          await page.goto(`/messages/${first}`);
          await page.getByText('delivered').first().waitFor();
          let readings = 0;
          page.on('request', (request) => {
            if (request.url().endsWith('?text=true')) readings += 1;
          });
          await page.getByRole('button', { name: 'Show the text' }).click();
          await page.getByText(TEXT).waitFor();
          await page.getByRole('button', { name: 'Redact it' }).click();
          const dialog = page.getByRole('dialog', { name: 'Remove the text and the number?' });
          await dialog.waitFor();
          await judgePage(page, 'operator/redact-message');
          await dialog.getByRole('button', { name: 'Redact it' }).click();
          await page.getByText('The message is redacted.').waitFor();
          await page.getByText('46703******').first().waitFor();
          await page.getByText('The text is no longer kept.').waitFor();
          // After a change everything is read again, but not a text: the audit log would say that somebody did.
          expect(readings).toBe(1);
          // Nothing is left to redact, or to show.
          expect(await page.getByRole('button', { name: /Redact it|Show the text/ }).count()).toBe(0);
          await judgePage(page, 'operator/message-redacted');

          await page.goto(`/accounts/${accountId}?tab=privacy`);
          await page.getByRole('button', { name: 'Redact a number' }).click();
          const redacting = page.getByRole('dialog', { name: 'Redact a number' });
          await redacting.getByLabel('Number').fill('12');
          await redacting.getByRole('button', { name: 'Redact a number' }).click();
          await redacting.getByText('is not an international phone number').waitFor();
          await redacting.getByLabel('Number').fill('+46 70 423 45 14');
          await judgePage(page, 'operator/redact-number');
          await redacting.getByRole('button', { name: 'Redact a number' }).click();
          await page.getByText('Messages redacted: 1.').waitFor();
          await page.getByRole('button', { name: 'Change the days' }).click();
          const changing = page.getByRole('dialog', { name: 'Change the days' });
          await changing.getByLabel('Days that texts are kept').fill('7');
          await changing.getByLabel('Days that numbers are kept').fill('30');
          await judgePage(page, 'operator/retention');
          await changing.getByRole('button', { name: 'Save' }).click();
          await changing.waitFor({ state: 'detached' });
          await page.getByText('7 days', { exact: true }).waitFor();
          await judgePage(page, 'operator/privacy');

          await page.goto(`/messages/${second}`);
          await page.getByText('46704******').first().waitFor();
          await goTo(page, 'Audit log');
          await page.getByRole('row').filter({ hasText: 'redact' }).first().waitFor();
          expect(await page.content()).not.toMatch(/234513|234514/);
        },
        `/messages/${second}`,
      );
    });
  });
}
