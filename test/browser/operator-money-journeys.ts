import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { changeAccount, findGuards, readAccountRetention, setAccountRetention, setGuards } from '#persistence';
import { eventually } from '../support/eventually.js';
import { type ConsoleStage, holdAct } from './console-stage.js';
import { hasFocus, judgePage } from './judge-page.js';
import { asAdmin, goTo } from './sign-in.js';

/** Accounts and their money, as operators serve them. */
export function operatorMoneyJourneys(stage: () => ConsoleStage): void {
  describe('an operator who serves accounts', () => {
    test('opens an account, and books money only after a second look at the amount and the balance', () =>
      asAdmin(stage(), async ({ page, faults }) => {
        faults.expectRefusal(409);
        await goTo(page, 'Accounts');
        await page.getByRole('link', { name: 'Nordlicht Coffee' }).waitFor();
        await judgePage(page, 'operator/accounts');
        await page.getByRole('button', { name: 'Open an account' }).click();
        const opening = page.getByRole('dialog', { name: 'Open an account' });
        await opening.getByLabel('Name').fill('Harbour Books');
        // One account is opened, and its key is shown, also by a double click.
        await opening.getByRole('button', { name: 'Open the account' }).dblclick();
        const first = page.getByRole('dialog', { name: 'First key of the account' });
        expect(await first.locator('code').textContent()).toMatch(/^hg_/);
        await first.getByRole('button', { name: 'I have kept it' }).click();
        await page.getByRole('heading', { level: 1, name: 'Harbour Books' }).waitFor();
        await page.getByText('No entries').waitFor();

        await page.getByRole('button', { name: 'Book a deposit' }).click();
        const deposit = page.getByRole('dialog', { name: 'Book a deposit' });
        await deposit.getByLabel('Amount').fill('100.00');
        await deposit.getByLabel('Reference').fill('Invoice 2026-140');
        await deposit.getByLabel('Currency').fill('EU');
        expect(await deposit.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
        await deposit.getByLabel('Currency').fill('EUR');
        await deposit.getByRole('button', { name: 'Review' }).click();
        await deposit.getByText('Balance after').waitFor();
        await hasFocus(deposit.locator('dl'));
        await judgePage(page, 'operator/deposit-look');
        await deposit.getByRole('button', { name: 'Book €100.00' }).click();
        await page.getByText('€100.00 is booked. The balance is €100.00.').waitFor();

        await page.getByRole('button', { name: 'Adjust the balance' }).click();
        const adjusting = page.getByRole('dialog', { name: 'Adjust the balance' });
        await adjusting.getByLabel('Amount').fill('-1250');
        // Without a reason, nothing is adjusted.
        expect(await adjusting.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
        await adjusting.getByLabel('Reason').fill('Booked to the wrong account');
        await adjusting.getByRole('button', { name: 'Review' }).click();
        await adjusting.getByRole('button', { name: /^Adjust by/ }).click();
        // A slip is refused, and can be written anew.
        await adjusting.getByText('This may be a slip, so nothing was booked.').waitFor();
        await judgePage(page, 'operator/unusual-adjustment');
        await adjusting.getByRole('button', { name: 'Change it' }).click();
        await hasFocus(adjusting.getByLabel('Amount'));
        await adjusting.getByLabel('Amount').fill('-12.50');
        await adjusting.getByRole('button', { name: 'Review' }).click();
        await adjusting.getByRole('button', { name: /^Adjust by/ }).click();
        await page.getByText('The balance is €87.50.').waitFor();
        await row(page, 'Ledger', 'Booked to the wrong account').getByText('€87.50').waitFor();
        await judgePage(page, 'operator/account');
        await page.getByRole('tab', { name: 'Deposits' }).click();
        await row(page, 'Deposits', 'Invoice 2026-140').waitFor();

        await page.getByRole('button', { name: 'Change settings' }).click();
        const changing = page.getByRole('dialog', { name: 'Change settings' });
        await changing.getByLabel('Messages a second').fill('7');
        const slow = await holdAct(page, '**/rate-limit');
        await changing.getByRole('button', { name: 'Save' }).click();
        await changing.locator('button:disabled', { hasText: 'Cancel' }).waitFor();
        slow.letGo();
        await changing.waitFor({ state: 'detached' });
      }));

    test('has the focus back where a dialog was opened, also after a second dialog and from a menu', async () => {
      const { accountId } = await stage().openAccount('Tide Tables');
      await asAdmin(
        stage(),
        async ({ page, faults }) => {
          const button = page.getByRole('button', { name: 'Book a deposit' });
          await button.click();
          await page.getByRole('dialog').getByLabel('Amount').fill('1');
          // The second click is not for the button that has come in the place of this one.
          await page.getByRole('button', { name: 'Review' }).dblclick();
          await page.getByRole('button', { name: 'Book €1.00' }).waitFor();
          await hasFocus(page.getByRole('dialog').locator('dl'));
          faults.expectNoAnswer();
          // The answer is lost on its way.
          await page.route('**/deposits', (route) => route.fetch().then(() => route.abort('internetdisconnected')));
          await page.getByRole('button', { name: 'Book €1.00' }).click();
          await page.getByText('Press again: nothing is booked twice.').waitFor();
          await hasFocus(page.getByRole('button', { name: 'Book €1.00' }));
          await page.keyboard.press('Escape');
          await hasFocus(button);
          await row(page, 'Ledger', 'Deposit').waitFor();

          await page.getByRole('tab', { name: 'API keys' }).click();
          await page.getByRole('button', { name: 'New key' }).click();
          const making = page.getByRole('dialog', { name: 'Make a key' });
          await making.getByLabel('Name').fill('Tablet');
          await making.getByRole('button', { name: 'Make the key' }).click();
          await page.getByRole('button', { name: 'I have kept it' }).click();
          await hasFocus(page.getByRole('button', { name: 'New key' }));

          const more = row(page, 'API keys', 'Tablet').getByRole('button', { name: /^More/ });
          await more.click();
          await page.getByRole('menuitem', { name: 'Replace' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
          await hasFocus(more);
        },
        `/accounts/${accountId}`,
      );
    });

    test('changes a price, and imports a price list, only after a look at what changes', () =>
      asAdmin(stage(), async ({ page }) => {
        await goTo(page, 'Tariffs');
        await page.getByText('No exchange rate').waitFor();
        await judgePage(page, 'operator/tariffs');
        await page.getByRole('button', { name: 'New price list' }).click();
        const importing = page.getByRole('dialog', { name: 'New price list' });
        await importing.getByLabel('Name').fill('partners');
        await importing.getByLabel('File').setInputFiles(priceList('46,0.0100,Sweden', '45,0.0200,Denmark'));
        await importing.getByRole('button', { name: 'See what changes' }).click();
        await importing.getByText('2 added, 0 removed, 0 changed, 0 as before').waitFor();
        await importing.getByRole('button', { name: 'Set these prices' }).click();
        await page.getByRole('heading', { level: 1, name: 'partners' }).waitFor();

        await page.getByRole('button', { name: 'Change the price of 46' }).click();
        const changing = page.getByRole('dialog', { name: 'Change the price of 46' });
        // With a decimal comma it would be a price and the begin of a country.
        await changing.getByLabel('Price of a segment in EUR').fill('0,125');
        await changing.getByText('This is not a price.').waitFor();
        await changing.getByLabel('Price of a segment in EUR').fill('0.125');
        const slow = await holdAct(page, '**/preview');
        await changing.getByRole('button', { name: 'See what changes' }).click();
        // Typed while the answer is on its way: nobody sets a price that was not looked at.
        await changing.getByLabel('Price of a segment in EUR').fill('0.0125');
        slow.letGo();
        await changing.getByText('0 added, 0 removed, 1 changed, 1 as before').waitFor();
        await changing.getByText('+25.0%').waitFor();
        await judgePage(page, 'operator/price-look');
        await changing.getByRole('button', { name: 'Set these prices' }).click();
        await row(page, 'Prices', 'Sweden').getByText('€0.0125').waitFor();
        await page.getByLabel('Number, prefix or country').fill('+46 70 123 45 67');
        await row(page, 'Prices', 'Denmark').waitFor({ state: 'detached' });
        await judgePage(page, 'operator/tariff');

        await page.getByRole('button', { name: 'Import prices' }).click();
        const replacing = page.getByRole('dialog', { name: 'Import all prices of partners' });
        await hasFocus(replacing.getByLabel('File'));
        await replacing.getByLabel('File').setInputFiles(priceList('46,0.0125,Sweden'));
        await replacing.getByRole('button', { name: 'See what changes' }).click();
        await replacing.getByText('0 added, 1 removed, 0 changed, 1 as before').waitFor();
        await replacing.getByRole('button', { name: 'Change it' }).click();
        await replacing.getByRole('button', { name: 'Cancel' }).click();
        await page.getByLabel('Number, prefix or country').fill('Denmark');
        await row(page, 'Prices', 'Denmark').waitFor();

        await page.getByRole('button', { name: 'Import prices' }).click();
        const planning = page.getByRole('dialog', { name: 'Import all prices of partners' });
        await planning.getByLabel('File').setInputFiles(priceList('46,0.0150,Sweden', '45,0.0200,Denmark'));
        await planning.getByLabel('Prices begin').fill('2099-01-01T00:00');
        await judgePage(page, 'operator/plan-prices');
        await planning.getByRole('button', { name: 'See what changes' }).click();
        await planning.getByText('Until then, nothing changes.').waitFor();
        await planning.getByRole('button', { name: 'Plan these prices' }).click();
        await planning.waitFor({ state: 'detached' });
        const plan = page.getByRole('region', { name: /^Prices from/ }).first();
        await plan.getByRole('row').filter({ hasText: 'Sweden' }).getByText('€0.015').waitFor();
        await judgePage(page, 'operator/planned-prices');
        await page.getByLabel('Number, prefix or country').fill('Sweden');
        await row(page, 'Prices', 'Sweden').getByText('€0.0125').first().waitFor();
        await page.getByRole('button', { name: 'Take the plan back' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Take the plan back' }).click();
        await page.getByText('The plan is taken back. The prices of partners stay.').waitFor();
        await plan.waitFor({ state: 'detached' });
      }));

    test('keeps what another operator changes while a form is open', async () => {
      const { database } = stage().service;
      const { accountId } = await stage().openAccount('Pier Florists');
      await asAdmin(
        stage(),
        async ({ page }) => {
          await page.getByRole('button', { name: 'Change guards' }).click();
          const guards = page.getByRole('dialog', { name: 'Change guards' });
          await guards.getByLabel('Countries').fill('SE');
          await setGuards(database, accountId, { priceMax: '0.5' });
          await readAgain(page, `/api/guards/${accountId}`);
          await guards.getByRole('button', { name: 'Save' }).click();
          await guards.waitFor({ state: 'detached' });
          expect((await findGuards(database, accountId)).own).toEqual({ countries: ['SE'], priceMax: '0.5' });

          await page.getByRole('tab', { name: 'Privacy' }).click();
          await page.getByRole('button', { name: 'Change the days' }).click();
          const days = page.getByRole('dialog', { name: 'Change the days' });
          await days.getByLabel('Days that texts are kept').fill('7');
          await setAccountRetention(database, accountId, { numberDays: 30 });
          await days.getByRole('button', { name: 'Save' }).click();
          await days.waitFor({ state: 'detached' });
          const { operators } = await readAccountRetention(database, accountId);
          expect(operators).toEqual({ textDays: 7, numberDays: 30 });

          await goTo(page, 'Accounts');
          const search = page.getByLabel('Name or id');
          await search.pressSequentially('Pier ');
          await page.waitForURL(/search=Pier$/);
          // The space that a person types on after is not taken away.
          await search.pressSequentially('Florists');
          await page.waitForURL(/search=Pier\+Florists$/);
        },
        `/accounts/${accountId}?tab=guards`,
      );
    });

    test('sees which accounts run low, and reads the statement of one', () =>
      asAdmin(stage(), async ({ page }) => {
        const { demo, service } = stage();
        await changeAccount(service.database, demo.accountId, { balanceAlert: 1_000_000_000_000n });
        await goTo(page, 'Accounts');
        await page.getByLabel('Only low balances').check();
        await row(page, 'Accounts', 'Nordlicht Coffee').getByText('low', { exact: true }).waitFor();
        await judgePage(page, 'operator/low-accounts');
        await goTo(page, 'Overview');
        const low = page.getByRole('region', { name: 'Accounts with a low balance' }).first();
        await low.getByRole('link', { name: 'Nordlicht Coffee' }).click();
        await page.getByRole('tab', { name: 'Statements' }).click();
        await page.getByText('Opening balance').waitFor();
        await judgePage(page, 'operator/statement');
        await goTo(page, 'Margin');
        await judgePage(page, 'operator/margin');
        await changeAccount(service.database, demo.accountId, { balanceAlert: null });
      }));

    test('verifies the ledger', () =>
      asAdmin(stage(), async ({ page }) => {
        await goTo(page, 'Ledger health');
        await page.getByRole('button', { name: 'Verify now' }).click();
        await page.getByText('The ledger is clean').waitFor();
        await judgePage(page, 'operator/ledger');
      }));

    test('suspends an account and gives back what its queued messages cost', () =>
      asAdmin(stage(), async ({ page }) => {
        const { service } = stage();
        await openCarrier(page);
        await page.getByRole('button', { name: 'Pause', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
        await page.getByText('simulator is paused.').waitFor();
        for (const recipient of ['+46701234501', '+46701234502']) await service.send(recipient, 'Not in time');
        await page.goto(`/accounts/${service.accountId}`);
        await page.getByRole('button', { name: 'Suspend' }).click();
        const dialog = page.getByRole('dialog', { name: 'Suspend Client?' });
        await dialog.getByLabel('They are canceled').check();
        await judgePage(page, 'operator/suspend');
        await dialog.getByRole('button', { name: 'Suspend' }).click();
        await page.getByText('Client is suspended. 2 messages were canceled and refunded.').waitFor();
        expect((await service.figures()).reserved).toBe(0n);
        await page.getByRole('button', { name: 'Resume' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
        await page.getByText('Client may send again.').waitFor();
        await openCarrier(page);
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
        await page.getByText('simulator gets messages again.').waitFor();
      }));
  });
}

function priceList(...lines: readonly string[]) {
  const text = ['prefix,price,country', ...lines].join('\n');
  return { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
}

/** The row of a table that says this. */
function row(page: Page, table: string, text: string) {
  return page.getByRole('region', { name: table }).getByRole('row').filter({ hasText: text });
}

async function openCarrier(page: Page): Promise<void> {
  await goTo(page, 'Carriers');
  await page.getByRole('link', { name: 'simulator', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'simulator' }).waitFor();
}

/** As when somebody comes back to the tab. */
async function readAgain(page: Page, path: string): Promise<void> {
  let isRead = false;
  page.on('response', (response) => {
    if (response.url().endsWith(path)) isRead = true;
  });
  await eventually(async () => {
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    return isRead;
  });
}
