import { describe, expect, test } from '@jest/globals';
import { addRoute } from '#persistence';
import { type ConsoleStage, changeAnswer } from './console-stage.js';
import { expectNothingCut, expectTablesFit, hasFocus, judgePage, settled } from './judge-page.js';
import { asAdmin, goTo } from './sign-in.js';

/** It has less room for a table than a tablet, because the menu is beside it. */
const SMALL_LAPTOP = { width: 1024, height: 768 };

/** Carriers, routes, messages and queues, as operators watch and steer them. */
export function operatorTrafficJourneys(stage: () => ConsoleStage): void {
  describe('an operator who watches the traffic', () => {
    test('pauses a carrier, tries it by a test message, and resumes it: what waited is delivered', () =>
      asAdmin(stage(), async ({ page }) => {
        await goTo(page, 'Carriers');
        await page.getByText('bound').first().waitFor();
        await judgePage(page, 'operator/carriers');
        await expectTablesFit(page, 'operator/carriers');
        await page.getByRole('link', { name: 'simulator', exact: true }).click();
        await page.getByRole('region', { name: 'Binds, worker by worker' }).getByText('bound').first().waitFor();
        await judgePage(page, 'operator/carrier');
        await page.getByRole('button', { name: 'Pause', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
        await page.getByText('simulator is paused.').waitFor();
        const waiting = await stage().service.send('+46701234503', 'Waits for the carrier');

        await page.getByRole('button', { name: 'Test message' }).click();
        const sending = page.getByRole('dialog', { name: 'Send a test message by simulator' });
        await sending.getByLabel('Number').fill('+46701234504');
        await sending.getByRole('button', { name: 'Send' }).click();
        await sending.getByRole('link', { name: 'Follow it' }).click();
        await page.getByText('delivered').first().waitFor();

        await page.goto(`/messages/${waiting}`);
        await page.getByRole('button', { name: 'Cancel it' }).click();
        const canceling = page.getByRole('dialog', { name: 'Cancel this message?' });
        await canceling.getByText('is given back').waitFor();
        await judgePage(page, 'operator/cancel-message');
        await canceling.getByRole('button', { name: 'Keep it' }).click();
        await canceling.waitFor({ state: 'detached' });
        await page.goto('/carriers/simulator');
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
        await page.getByText('simulator gets messages again.').waitFor();
        await page.goto(`/messages/${waiting}`);
        await page.getByText('delivered').first().waitFor();
      }));

    test('begins each new carrier as a real one that is paused, whatever was typed of another one', () =>
      asAdmin(
        stage(),
        async ({ page }) => {
          const add = page.getByRole('button', { name: 'Add a carrier' });
          const form = page.getByRole('dialog', { name: 'Add a carrier' });
          await add.click();
          await form.getByLabel('Carrier').fill('lab');
          await form.getByLabel('Password', { exact: true }).fill('secret');
          await form.getByLabel('Paused at first').uncheck();
          await form.getByLabel('It is a simulator').check();
          await form.getByRole('button', { name: 'Cancel' }).click();
          await form.waitFor({ state: 'detached' });
          await add.click();
          expect(await form.getByLabel('Carrier').inputValue()).toBe('');
          expect(await form.getByLabel('Password', { exact: true }).inputValue()).toBe('');
          expect(await form.getByLabel('Paused at first').isChecked()).toBe(true);
          expect(await form.getByLabel('It is a simulator').isChecked()).toBe(false);
        },
        '/carriers',
      ));

    test('edits the routes, and is told first which prefixes would be left without one', () =>
      asAdmin(stage(), async ({ page }) => {
        await goTo(page, 'Routes');
        await page.getByText('There are no routes').waitFor();
        await page.getByRole('button', { name: 'Edit the routes' }).click();
        await page.getByRole('button', { name: 'Add a route' }).click();
        await hasFocus(page.getByLabel('Prefix'));
        await page.getByLabel('Prefix').fill('46');
        await page.getByRole('button', { name: 'See what it means' }).click();
        await page.getByText('These prefixes of price lists would be left without a route.').waitFor();
        await judgePage(page, 'operator/route-editor');
        await page.getByRole('button', { name: 'Add a route' }).click();
        // The preview was of other rows; an empty prefix would take every number.
        await page.getByRole('button', { name: 'Replace the routes' }).waitFor({ state: 'detached' });
        expect(await page.getByRole('button', { name: 'See what it means' }).isDisabled()).toBe(true);
        await page.getByLabel('Prefix').nth(1).fill('*');
        await page.getByRole('button', { name: 'See what it means' }).click();
        await page.getByText('Every prefix of the price lists in use has a route.').waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();

        // Another operator has a route while the rows are edited: it is not removed unseen.
        await page.getByRole('button', { name: 'Edit the routes' }).click();
        await page.getByRole('button', { name: 'Add a route' }).click();
        await page.getByLabel('Prefix').fill('*');
        const theirs = { prefix: '46', carrier: 'simulator', rank: 1, weight: 1, cost: undefined };
        await addRoute(stage().service.database, theirs, true);
        await page.getByRole('button', { name: 'See what it means' }).click();
        await page.getByText('Another operator has changed the routes meanwhile.').waitFor();
        expect(await page.getByRole('button', { name: 'Replace the routes' }).isDisabled()).toBe(true);
        await page.getByRole('button', { name: 'Begin again with the routes of now' }).click();
        expect(await page.getByLabel('Prefix').inputValue()).toBe('46');
        await page.getByRole('button', { name: 'Add a route' }).click();
        await page.getByLabel('Prefix').nth(1).fill('*');
        await page.getByRole('button', { name: 'See what it means' }).click();
        await page.getByRole('button', { name: 'Replace the routes' }).click();
        await page.getByText('The routes are replaced.').waitFor();
        await page.getByLabel('Number').fill('+46 70 123 45 67');
        await page.getByRole('button', { name: 'Look it up' }).click();
        await page.getByText(/Rank 1, 100/).waitFor();
        await judgePage(page, 'operator/routes');
        await page.getByRole('button', { name: 'Edit the routes' }).click();
        for (const _route of ['46', '*']) {
          await page
            .getByRole('button', { name: /^Remove the route/ })
            .first()
            .click();
        }
        await page.getByRole('button', { name: 'See what it means' }).click();
        await page.getByRole('button', { name: 'Replace the routes' }).click();
        await page.getByText('There are no routes', { exact: true }).waitFor();
      }));

    test('sees texts of messages only when asking for them, and the audit log keeps who has', () =>
      asAdmin(stage(), async ({ page, faults }) => {
        const text = 'Your Nordlicht order 4711 is ready.';
        await goTo(page, 'Messages');
        await page.getByLabel('Number').fill('+4670');
        faults.expectRefusal(400);
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await page.getByText('recipient must be written like +46701234567.').waitFor();
        expect(await page.getByText('This could not be loaded').count()).toBe(0);
        await page.getByRole('button', { name: 'Clear the filters' }).click();
        expect(await page.getByLabel('Number').inputValue()).toBe('');
        await page.getByLabel('Account').fill(stage().demo.accountId);
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await page.getByRole('table').getByText('delivered').first().waitFor();
        await judgePage(page, 'operator/messages');
        await expectTablesFit(page, 'operator/messages');
        await expectNothingCut(page, 'operator/messages');
        expect(await page.content()).not.toContain(text);
        await page.getByRole('button', { name: 'Show texts' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Show the texts' }).click();
        await page.getByText(text).first().waitFor();
        await page.getByRole('button', { name: 'Hide texts' }).click();
        await page.getByText(text).first().waitFor({ state: 'detached' });

        await page.getByLabel('Status').selectOption('undelivered');
        await settled(page);
        await page.getByRole('table').getByRole('link').first().click();
        await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
        await page.getByText('The text is hidden.').waitFor();
        await judgePage(page, 'operator/message');
        await expectTablesFit(page, 'operator/message');
        await page.getByRole('button', { name: 'Show the text' }).click();
        await page.getByText('The text is hidden.').waitFor({ state: 'detached' });

        await goTo(page, 'Audit log');
        await page.getByRole('row').filter({ hasText: 'admin' }).filter({ hasText: 'read' }).first().waitFor();
        await judgePage(page, 'operator/audit');
        await page.setViewportSize(SMALL_LAPTOP);
        const log = page.getByRole('region', { name: 'Audit log' });
        expect(await log.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      }));

    test('looks into the queues with the same session, which nobody does without one', () =>
      asAdmin(stage(), async ({ page }) => {
        await goTo(page, 'Queues');
        await page.getByText('The queue answers').waitFor();
        await judgePage(page, 'operator/queues');
        await page.getByRole('link', { name: 'Open Bull Board' }).click();
        await page.getByText('simulator').first().waitFor();
        const { status } = await fetch(`${stage().operatorUrl}/queues`);
        expect(status).toBe(401);
      }));

    test('gives a number to an account, and says which words opt out', () =>
      asAdmin(stage(), async ({ page }) => {
        const { accountId } = await stage().openAccount('Night Pharmacy');
        await goTo(page, 'Answers');
        await page.getByText('No number is assigned').waitFor();
        await page.getByRole('button', { name: 'Assign a number' }).click();
        const assigning = page.getByRole('dialog', { name: 'Assign a number' });
        await assigning.getByLabel('Number').fill('+46 70 100 20 30');
        await assigning.getByLabel('Account').fill(accountId);
        await assigning.getByRole('button', { name: 'Assign a number' }).click();
        const numbers = page.getByRole('region', { name: 'Numbers' });
        await numbers.getByText('46701002030').waitFor();

        const keywords = page.getByRole('region', { name: 'Keywords' });
        await page.getByRole('button', { name: 'Add a keyword' }).click();
        const adding = page.getByRole('dialog', { name: 'Add a keyword' });
        await adding.getByLabel('Word').fill('Genug');
        await adding.getByLabel('Language').fill('de');
        await judgePage(page, 'operator/add-keyword');
        await adding.getByRole('button', { name: 'Add a keyword' }).click();
        await keywords.getByText('genug').waitFor();
        await judgePage(page, 'operator/inbound');
        await keywords.getByRole('button', { name: 'More: genug' }).click();
        await page.getByRole('menuitem', { name: 'Remove' }).click();
        await page.getByText('“genug” is no keyword any more.').waitFor();
        await keywords.getByText('genug').waitFor({ state: 'detached' });
        // A slip is taken back.
        await page.getByRole('button', { name: 'Undo' }).click();
        await keywords.getByRole('row', { name: 'genug Opts out' }).waitFor();
        for (const undoes of [true, false]) {
          await numbers.getByRole('button', { name: 'More: 46701002030' }).click();
          await page.getByRole('menuitem', { name: 'End the assignment' }).click();
          await page.getByText('No number is assigned').waitFor();
          await page.getByText('+46701002030 belongs to no account any more.').first().waitFor();
          if (undoes) await page.getByRole('button', { name: 'Undo' }).click();
        }
      }));

    test('finds one webhook among thousands, of which the page shows a hundred', () =>
      asAdmin(stage(), async ({ page }) => {
        await changeAnswer<object[]>(page, '**/api/webhooks', ([some]) =>
          Array.from({ length: 3_000 }, (_, n) => ({ ...some, endpointId: `we_${n}`, url: `https://s/${n}` })),
        );
        await goTo(page, 'Webhooks');
        await page.getByText('2,900 more rows fit').waitFor();
        await page.getByRole('link', { name: 'Nordlicht Coffee' }).first().waitFor();
        expect(await page.getByRole('row').count()).toBe(1 + 100);
        await page.getByLabel('Search').fill('/2999');
        await page.getByRole('cell', { name: 'https://s/2999', exact: true }).waitFor();
        expect(await page.getByRole('row').count()).toBe(1 + 1);
        await page.getByLabel('Search').fill('/3000');
        await page.getByText('Nothing fits').waitFor();
        await judgePage(page, 'operator/webhooks-search');
      }));

    // One visit for all pages: each load of a page compiles the scripts of the console, and axe, anew.
    test('reads the pages of holds, receipts and webhooks in light, in the dark and on a phone', () =>
      asAdmin(stage(), async ({ page }) => {
        for (const [title, name, word] of [
          ['Hold', 'hold', 'No hold is active'],
          ['Unmatched receipts', 'receipts', 'Every receipt has its message'],
          ['Webhooks', 'webhooks', 'https://shop.example/hooks/sms'],
        ] as const) {
          await goTo(page, title);
          await page.getByText(word).first().waitFor();
          await judgePage(page, `operator/${name}`);
        }
      }));
  });
}
