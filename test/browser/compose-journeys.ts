import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { ConsoleStage } from './console-stage.js';
import { hasFocus, judgePage } from './judge-page.js';
import { asOwner } from './sign-in.js';

/** What owners do to send: one text, or a file. */
export function composeJourneys(stage: () => ConsoleStage): void {
  const visit = (work: Parameters<ConsoleStage['visit']>[1], path = '/') => asOwner(stage(), work, { path });

  describe('the owner of an account who sends', () => {
    test('writes a text, sees what it costs, mends it, and follows the message', () =>
      visit(async ({ page }) => {
        await page.getByRole('link', { name: 'Compose' }).click();
        await page.getByRole('heading', { name: 'Compose' }).waitFor();
        await judgePage(page, 'owner/compose-empty');
        await page.getByLabel('Recipients').fill('+46 70 123 45 67');
        await writeText(page, `Your order – “4711” – is ready. ${'We look forward to seeing you. '.repeat(4)}`);
        await page.getByText('Without them: 1 segment and not 3.').waitFor();
        await page.getByText('Balance after').waitFor();
        await judgePage(page, 'owner/compose');
        const replace = page.getByRole('button', { name: 'Replace look-alikes' });
        await replace.click();
        const undo = page.getByRole('button', { name: 'Undo the replacement' });
        await hasFocus(undo);
        await undo.click();
        await hasFocus(page.getByRole('textbox', { name: /^Text/ }));
        await replace.click();
        await page.getByText('Standard', { exact: true }).waitFor();
        // What is on the page survives a reload.
        await page.reload();
        // The second click is not for the dialog that the first one opens.
        await page.getByRole('button', { name: 'Send …' }).dblclick();
        await page.getByRole('button', { name: /^Send for/ }).waitFor();
        await judgePage(page, 'owner/compose-confirm');
        await page.getByRole('button', { name: /^Send for/ }).click();
        await page.getByRole('heading', { name: '1 message accepted' }).waitFor();
        await page.getByRole('link', { name: 'Follow the message' }).click();
        await page.getByText('Your order - "4711" - is ready.').first().waitFor();
        // What was sent is no draft any more: written once more, it is another message.
        const before = await messages(stage());
        await page.getByRole('link', { name: 'Compose' }).click();
        expect(await page.getByLabel('Recipients').inputValue()).toBe('');
        await page.getByLabel('Recipients').fill('+46 70 123 45 67');
        await writeText(page, 'Your order is still ready.');
        await page.getByRole('button', { name: 'Send …' }).click();
        await page.getByRole('button', { name: /^Send for/ }).click();
        await page.getByRole('heading', { name: '1 message accepted' }).waitFor();
        expect((await messages(stage())) - before).toBe(1);
      }));

    test('sends a copy of a message whose sender is no longer allowed, once it has a price', async () => {
      const { apiKey } = await stage().openAccount('Harbour Kiosk', 10_000_000n);
      const id = await stage().send(apiKey, '+46701234567', 'We open at eight');
      await stage().service.database.query(`update message_order set sender = 'Kiosk' where id = $1`, [id]);
      await asOwner(
        stage(),
        async ({ page, faults }) => {
          await page.getByText('The sender “Kiosk” is no longer allowed').waitFor();
          faults.expectRefusal(503);
          await page.route('**/v1/message/quote', (route, request) =>
            request.postData()?.includes('We open') ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
          );
          await page.getByRole('button', { name: 'Send …' }).click();
          expect(await page.getByRole('button', { name: 'No price' }).isDisabled()).toBe(true);
          await page.getByRole('button', { name: 'Cancel' }).click();
          await page.unroute('**/v1/message/quote');
          await page.getByRole('button', { name: 'Send …' }).click();
          const send = page.getByRole('button', { name: /^Send for/ });
          await send.waitFor();
          // What is not sent now is not sent when the network is back, but when somebody asks for it again.
          faults.expectNoAnswer();
          await page.context().setOffline(true);
          await send.click();
          await page.getByText('The service does not answer.').waitFor();
          await page.context().setOffline(false);
          await send.click();
          await page.getByRole('heading', { name: '1 message accepted' }).waitFor();
          await page.getByRole('button', { name: 'Write another message' }).click();
          const recipients = page.getByLabel('Recipients');
          await recipients.waitFor();
          expect(await recipients.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
        },
        { path: `/compose?resend=${id}`, apiKey },
      );
    });

    test('shows a message that is sent later as it leaves', async () => {
      const { apiKey } = await stage().openAccount('Late Ferry', 10_000_000n);
      const reply = await fetch(`${stage().ownerUrl}/v1/message/send`, {
        method: 'POST',
        headers: { 'x-authorization': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          recipient: '+447700900123',
          message: 'Boarding begins.',
          sendAt: new Date(Date.now() + 6_000).toISOString(),
        }),
      });
      const { messageId } = (await reply.json()) as { messageId: string };
      await asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('Accepted, and sent when its time comes.').waitFor();
          await page.getByText('The carrier reported that it reached the phone.').waitFor();
        },
        { path: `/messages/${messageId}`, apiKey },
      );
    });

    test('sends a file although an answer is lost and the page is loaded again, and pays once', () =>
      visit(async ({ page, faults }) => {
        await judgePage(page, 'owner/file-empty');
        await page.getByLabel('CSV file').setInputFiles(spreadsheet(1_200));
        await writeText(page, 'Dear {Name}, see you on {Day}');
        // The names of the columns are no row that is sent.
        await page.getByText('1,201 rows for messages').waitFor();
        await page.getByText('3 rows cannot be sent').waitFor();
        await judgePage(page, 'owner/file-check');
        await page.getByLabel('Leave out 3 rows, and send the others').check();
        await page.getByRole('button', { name: 'Send …' }).click();
        await page.getByRole('button', { name: /^Send for/ }).waitFor();
        const before = await messages(stage());
        // The second request arrives, but its answer does not.
        let requests = 0;
        await page.route('**/v1/message/send-batch', async (route) => {
          requests += 1;
          if (requests !== 2) return route.continue();
          await route.fetch();
          return route.fulfill({ status: 503, headers: { 'retry-after': '20' }, body: '{}' });
        });
        faults.expectRefusal(503);
        await page.getByRole('button', { name: /^Send for/ }).click();
        await page.getByText('Nothing is sent twice.').waitFor();
        await judgePage(page, 'owner/file-waiting');
        page.on('dialog', (dialog) => void dialog.accept());
        await page.reload();
        await page.getByRole('heading', { name: 'The send of people.csv was interrupted' }).waitFor();
        await judgePage(page, 'owner/file-resume');
        await page.getByRole('button', { name: 'Continue', exact: true }).click();
        await page.getByRole('heading', { name: 'people.csv is sent' }).waitFor();
        await judgePage(page, 'owner/file-sent');
        expect((await messages(stage())) - before).toBe(1_198);
        const lines = await downloadedLines(page);
        expect(lines).toHaveLength(1 + 1_201 + 1);
        expect(lines[4]).toBe('5;4.67E+10;not sent;;;;The spreadsheet has rounded the number');
        expect(lines[5]).toMatch(/^6;'\+1202\d+;accepted;[0-9a-f-]{36};/);
        await page.getByRole('button', { name: 'Send another file' }).click();
        const heading = page.getByRole('heading', { level: 1 });
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        expect(await heading.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      }, '/compose/file'));

    test('is told why a file cannot be used', () =>
      visit(async ({ page }) => {
        const file = { name: 'people.xlsx', mimeType: 'text/csv', buffer: Buffer.from('PK\u0003\u0004') };
        await page.getByLabel('CSV file').setInputFiles(file);
        await page.getByText('This is a workbook.').waitFor();
        await judgePage(page, 'owner/file-fault');
      }, '/compose/file'));
  });
}

const writeText = (page: Page, text: string) => page.getByRole('textbox', { name: /^Text/ }).fill(text);

/** As forms name their columns. */
const QUESTION = 'Which of our cafés do you visit most, and on which days of the week and at what times are you there?';

/** A list as Excel writes it in Europe: Windows-1252, semicolons, and three rows at fault. */
function spreadsheet(rows: number) {
  const lines = Array.from({ length: rows }, (_, index) => `Åsa ${index};+1202${5_000_000 + index};Friday`);
  lines[1] = 'Bo;;Friday';
  lines[3] = 'Cia;4.67E+10;Friday';
  lines.splice(7, 0, 'Dan;+46701234567;');
  const text = [`Name;Mobile;Day;${QUESTION}`, ...lines.map((line) => `${line};Friday`)].join('\r\n');
  return { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') };
}

async function messages(stage: ConsoleStage): Promise<number> {
  const reply = await fetch(`${stage.ownerUrl}/v1/account`, { headers: { 'x-authorization': stage.demo.apiKey } });
  const { orderSummary } = (await reply.json()) as { orderSummary: { messages: { count: number } } };
  return orderSummary.messages.count;
}

async function downloadedLines(page: Page): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the result' }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8').split('\r\n');
}
