import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { bookDeposit } from '#persistence';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { ANOTHER_BROWSER, type ConsoleStage, type OpenPage } from './console-stage.js';
import { expectTablesFit, hasFocus, judgePage } from './judge-page.js';
import { asAdmin, asOwner, signInOperator } from './sign-in.js';

/** As wide as A4. */
const SHEET = { width: 718, height: 1_000 };

/** What operators do in their console. */
export function operatorJourneys(stage: () => ConsoleStage): void {
  describe('an operator', () => {
    test('is told that a password is wrong, signs in, sees the overview, and signs out', () =>
      stage().visit(stage().operatorUrl, async ({ page, faults }) => {
        await judgePage(page, 'operator/sign-in');
        faults.expectRefusal(401);
        await page.keyboard.type('admin');
        expect(await page.getByLabel('Name').inputValue()).toBe('admin');
        await page.locator('input[type=password]').fill('not the password');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('The name, the password or the code is wrong.').waitFor();
        await signInOperator(page);
        await page.getByRole('region', { name: 'Carriers' }).getByText('bound').waitFor();
        await judgePage(page, 'operator/overview');
        await expectTablesFit(page, 'operator/overview');
        const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
        expect(kept).not.toContain(OPERATOR_PASSWORD);
        await page.getByRole('button', { name: 'admin' }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      }));

    test('adds a device for one-time codes by its picture or its secret', () =>
      asAdmin(stage(), async ({ page, faults }) => {
        faults.expectRefusal(401);
        await page.getByRole('button', { name: 'admin' }).click();
        await page.getByRole('menuitem', { name: 'Your sign-in' }).click();
        await page.getByRole('button', { name: 'Add a device' }).click();
        await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
        await hasFocus(page.getByLabel('Code of the device'));
        await judgePage(page, 'operator/second-factor');
        await page.getByLabel('Code of the device').fill('000000');
        await page.getByRole('button', { name: 'Turn it on' }).click();
        await page.getByText('The code is wrong.').waitFor();
      }));

    test('opens the margin at the month of the service, whatever the clock of the browser says', () =>
      asAdmin(
        stage(),
        async ({ page }) => {
          const added = await page.addInitScript(ANOTHER_BROWSER);
          await page.reload();
          const month = await page.getByLabel('Month').inputValue();
          expect(month).toBe(new Date().toISOString().slice(0, 'YYYY-MM'.length));
          await added.dispose();
        },
        '/margin',
      ));

    test('prints the statement of an account whose name and references are long, with all of them', async () => {
      const { database } = stage().service;
      const reference = 'R'.repeat(100);
      const { accountId, apiKey } = await stage().openAccount('Long Lines of the North Sea and the Baltic Sea');
      await bookDeposit(database, accountId, { amount: 1_000_000n, currency: 'EUR', reference });
      await asAdmin(
        stage(),
        async ({ page }) => {
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: 'As a page to print' }).click(),
          ]);
          const sheet = await page.context().newPage();
          await sheet.setContent(readFileSync(await download.path(), 'utf8'));
          await sheet.setViewportSize(SHEET);
          await sheet.emulateMedia({ media: 'print' });
          expect(await sheet.evaluate('document.documentElement.scrollWidth')).toBe(SHEET.width);
          await sheet.close();
        },
        `/accounts/${accountId}?tab=statements`,
      );
      // The owner prints the page itself.
      const printing = async ({ page }: OpenPage) => {
        await page.getByText(reference).waitFor();
        await page.setViewportSize(SHEET);
        await page.emulateMedia({ media: 'print' });
        expect(await page.evaluate(CUT_TEXTS)).toEqual([]);
        await page.emulateMedia({ media: null });
      };
      await asOwner(stage(), printing, { apiKey, path: '/statements' });
    });
  });
}

// Runs in the page.
const CUT_TEXTS = `[...document.querySelectorAll('p, td')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;
