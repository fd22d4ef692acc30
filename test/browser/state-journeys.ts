import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type ConsoleStage, holdBack, type OpenPage, PHONE, WIDE } from './console-stage.js';
import { expectAccessible, expectNoScrolledTable, judgePage, settled } from './judge-page.js';
import { asAdmin, asOwner, goTo } from './sign-in.js';

const TABLET = { width: 820, height: 1180 };

/** What pages of the menu say before the first message. */
const EMPTY = [
  ['Ledger', 'No entry yet'],
  ['Messages', 'Nothing was sent yet'],
  ['Inbox', 'Nobody has written yet'],
  ['Scheduled', 'Nothing is scheduled'],
  ['Deposits', 'No deposit yet'],
  ['Usage', 'Nothing was sent in this time'],
  ['Webhooks', 'No webhook yet'],
] as const;

/** Pages that have nothing to show, or whose answers do not come. */
export function stateJourneys(stage: () => ConsoleStage): void {
  type Open = (work: (open: OpenPage) => Promise<void>, path?: string) => Promise<void>;
  const consoles: readonly [string, string, string, string, Open][] = [
    [
      'owner',
      '/deposits',
      '**/v1/account/deposits?*',
      'Invoice 2026-131',
      (work, path) => asOwner(stage(), work, { ...(path && { path }) }),
    ],
    ['operator', '/accounts', '**/api/accounts?*', 'Nordlicht Coffee', (work, path) => asAdmin(stage(), work, path)],
  ];

  describe('a page without an answer', () => {
    test('an owner who has sent nothing reads on each page what will stand there', async () => {
      const { accountId, apiKey } = await stage().openAccount('Kiosk am Ufer');
      await asOwner(
        stage(),
        async ({ page }) => {
          for (const [title, words] of EMPTY) {
            // The visit begins there.
            if (title !== 'Ledger') await goTo(page, title);
            await page.getByText(words).waitFor();
            await settled(page);
            await expectAccessible(page, `${title}, empty`);
          }
          await goTo(page, 'Overview');
          await page.getByText('Charts stand here after the first message.').waitFor();
          expect(await page.getByText('Spent a day').count()).toBe(0);
          expect(await page.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toBe('/docs');
          await judgePage(page, 'owner/overview-empty');
        },
        { apiKey, path: '/ledger' },
      );
      await asAdmin(
        stage(),
        async ({ page }) => {
          await page.getByText('No message fits').waitFor();
          await judgePage(page, 'operator/messages-empty');
        },
        `/messages?account=${accountId}`,
      );
    });

    test.each(consoles)('says that it loads, why it cannot, and goes on (%s)', (name, path, api, word, open) =>
      open(async ({ page, faults }) => {
        const hold = await holdBack(page, api);
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.getByRole('status', { name: 'Loading' }).first().waitFor();
        await expectAccessible(page, `${name}, loading`);
        faults.expectRefusal(500);
        hold.refuse();
        await page.getByText('This could not be loaded').waitFor();
        await judgePage(page, `${name}/error`);
        await page.getByRole('button', { name: 'Try again' }).waitFor();
        await hold.end();
        // Nobody has to ask for it.
        await page.getByText(word).first().waitFor();
      }),
    );

    test('figures of before are marked until those of another filter come', () =>
      asOwner(
        stage(),
        async ({ page, faults }) => {
          await page.getByText('Cost of a message').waitFor();
          await settled(page);
          const hold = await holdBack(page, '**/v1/account/usage?*');
          await page.getByText('7 days', { exact: true }).click();
          const marked = page.locator('[aria-busy="true"]').getByText('Cost of a message');
          await marked.waitFor();
          faults.expectRefusal(500);
          hold.refuse();
          await hold.end();
          await marked.waitFor({ state: 'detached' });
          await page.getByText('Cost of a message').waitFor();
        },
        { path: '/usage' },
      ));

    test('the name and the figures of an account are never shown with the id of another one', async () => {
      const { accountId } = await stage().openAccount('Bakery Blue Door');
      const open = async ({ page, faults }: OpenPage) => {
        await page.getByRole('heading', { level: 1, name: 'Nordlicht Coffee' }).waitFor();
        await settled(page);
        const hold = await holdBack(page, `**/api/accounts/${accountId}`);
        await page.evaluate(`history.pushState(null, '', '/accounts/${accountId}')`);
        await page.getByRole('heading', { level: 1, name: accountId }).waitFor();
        await page.getByRole('status', { name: 'Loading' }).waitFor();
        faults.expectRefusal(500);
        hold.refuse();
        await hold.end();
        await page.getByRole('heading', { level: 1, name: 'Bakery Blue Door' }).waitFor();
      };
      await asAdmin(stage(), open, `/accounts/${stage().demo.accountId}`);
    });

    test('an owner with a tablet sees all columns, and that only the last hundred failures are counted', () =>
      asOwner(
        stage(),
        async ({ page }) => {
          await page.setViewportSize(TABLET);
          const table = page.getByRole('region', { name: 'Messages' });
          await table.getByText('Accepted').waitFor();
          expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
          await page.setViewportSize({ ...TABLET, height: 400 });
          expect(await page.evaluate(IS_FOCUS_BELOW_HEAD)).toBe(true);
          await page.route('**/v1/account/messages?status=*', async (route) => {
            const list = (await (await route.fetch()).json()) as { data: object[] };
            const [first] = list.data;
            await route.fulfill({ json: { ...list, data: first ? Array(100).fill(first) : [] } });
          });
          await page.goto('/');
          await page.getByText('Of each status, only the last 100 messages are counted here.').waitFor();
          await page.unrouteAll();
        },
        { path: '/messages' },
      ));

    test.each(consoles)('has a menu on a phone that takes focus while it is open only (%s)', (...row) => {
      const [name, path, , , open] = row;
      return open(async ({ page }) => {
        await page.setViewportSize(PHONE);
        const menu = page.getByRole('navigation', { name: 'Main' });
        const button = page.getByRole('button', { name: 'Open the menu' });
        const here = menu.getByRole('link', { name: name === 'owner' ? 'Deposits' : 'Accounts' });
        await button.waitFor();
        expect(await menu.count()).toBe(0);
        for (const leave of [() => here.press('Escape'), () => here.click()]) {
          await button.click();
          await leave();
          await menu.waitFor({ state: 'hidden' });
          expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
        }
      }, path);
    });

    test('long names and amounts fit on a phone', async () => {
      const { accountId, apiKey } = await stage().openAccount('NorthwindMarketingProductionEU', 123_456_637_493_856n);
      await asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('€123,456,637.493856').first().waitFor();
          await expectWholeGroups(page);
          await judgePage(page, 'owner/statements-long');
          // The month is one in UTC, and so are the times in it, whatever the zone of the browser.
          const booked = page.getByRole('region', { name: 'Deposits and corrections' }).getByRole('cell').first();
          const atMs = Date.parse(`${(await booked.textContent())?.replaceAll(/\s/g, ' ')} UTC`);
          expect(Math.abs(Date.now() - atMs)).toBeLessThan(1_800_000);
          await stage().send(apiKey, '+447700900123', `https://shop.example/${'long'.repeat(30)}`);
          await page.setViewportSize(PHONE);
          await page.goto('/messages');
          await page.getByRole('link', { name: '+447700900123' }).waitFor();
          await expectNoScrolledTable(page, 'owner/messages-long, phone');
          await page.setViewportSize(WIDE);
        },
        { apiKey, path: '/statements' },
      );
      const open = async ({ page }: OpenPage) => {
        await page.getByRole('heading', { level: 1, name: 'NorthwindMarketingProductionEU' }).waitFor();
        await page.getByText('+€123,456,637.493856').waitFor();
        await expectWholeGroups(page);
        await judgePage(page, 'operator/account-long', { isLong: true });
      };
      await asAdmin(stage(), open, `/accounts/${accountId}`);
    });

    test.each(consoles)('stays when another page cannot come, and has it once there are answers (%s)', (...row) => {
      const [name, path, , word, open] = row;
      const next = name === 'owner' ? 'Ledger' : 'Tariffs';
      return open(async ({ page, faults }) => {
        await page.getByText(word).first().waitFor();
        await settled(page);
        // As while the gateway starts anew.
        faults.expectNoAnswer();
        await page.route('**/*', (route) => route.abort('connectionrefused'));
        await page.getByRole('link', { name: next, exact: true }).click();
        await page.getByText('The service does not answer.').waitFor();
        await page.unroute('**/*');
        // Nobody has to ask for it.
        await page.getByRole('heading', { level: 1, name: next }).waitFor();
      }, path);
    });

    test.each(consoles)('says at a wrong address that there is no page, and leads home (%s)', async (name, ...rest) => {
      const open = rest[3];
      const url = name === 'owner' ? stage().ownerUrl : stage().operatorUrl;
      const path = '/no/such/page';
      const signedOut = async ({ page, faults }: OpenPage) => {
        // The page itself, and whether somebody is signed in.
        for (const status of [404, 401]) faults.expectRefusal(status);
        await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
        await judgePage(page, `${name}/not-found-signed-out`);
        await page.getByRole('link', { name: 'Go to the start page' }).click();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
      };
      await stage().visit(url, signedOut, { path });
      await open(async ({ page, faults }) => {
        faults.expectRefusal(404);
        await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
        await judgePage(page, `${name}/not-found`);
        await page.getByRole('link', { name: 'Go to the start page' }).click();
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      }, path);
    });

    test.each(consoles)('stays as it is while the network is gone, and says so (%s)', (name, path, _api, word, open) =>
      open(async ({ page, faults }) => {
        await page.getByText(word).first().waitFor();
        await settled(page);
        // A page that was about to read something may have asked already.
        faults.expectNoAnswer();
        await page.context().setOffline(true);
        const note = page.getByText('You are offline. What you see is the last that was loaded.');
        await note.waitFor();
        expect(await page.getByText(word).first().isVisible()).toBe(true);
        await judgePage(page, `${name}/offline`);
        // The script of another page does not come, and comes when the network is back.
        await page.route('**/assets/*', (route) => route.abort('internetdisconnected'));
        await page.getByRole('link', { name: name === 'owner' ? 'Usage' : 'Margin', exact: true }).click();
        await page.getByText('This could not be loaded').waitFor();
        await page.unroute('**/assets/*');
        await page.context().setOffline(false);
        await note.waitFor({ state: 'detached' });
        await page.getByRole('heading', { level: 1, name: name === 'owner' ? 'Usage' : 'Margin' }).waitFor();
      }, path),
    );
  });

  test('shows the row of the guide that a link leads to, in a contrast theme too', () =>
    stage().visit(
      stage().ownerUrl,
      async ({ page }) => {
        await page.emulateMedia({ forcedColors: 'active' });
        const outline = await page.evaluate("getComputedStyle(document.querySelector('tr:target')).outlineStyle");
        expect(outline).toBe('solid');
        await page.emulateMedia({ forcedColors: null });
      },
      { path: '/docs/errors#overloaded' },
    ));
}

/** No line ends between the digits of a group, or after the sign of an amount. */
async function expectWholeGroups(page: Page) {
  await page.setViewportSize(PHONE);
  await settled(page);
  expect(await page.evaluate<string[]>(BROKEN_FIGURES)).toEqual([]);
  await page.setViewportSize(WIDE);
}

// Runs in the page: a part of a figure that stands on several lines.
const BROKEN_FIGURES = `[...document.querySelectorAll('dd, td')].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    if (/^\\S*\\d\\S*$/.test(range.toString()) && range.getClientRects().length > 1) broken.push(range.toString());
  }
  return broken;
})`;

// Runs in the page: a link that lies under the fixed head comes out when it gets the focus, as by Shift+Tab.
const IS_FOCUS_BELOW_HEAD = `(() => {
  const link = document.querySelector('tbody tr:nth-child(9) a');
  scrollBy(0, link.getBoundingClientRect().top - 10);
  link.focus();
  return link.getBoundingClientRect().top >= document.querySelector('header').getBoundingClientRect().bottom;
})()`;
