import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { Usage } from '#client';
import { addApiKey, bookDeposit, revokeApiKey } from '#persistence';
import { type ConsoleStage, changeAnswer, LAPTOP, type OpenPage, PHONE, WIDE } from './console-stage.js';
import { expectNoScrolledTable, expectTablesFit, settled } from './judge-page.js';
import { asAdmin, asOwner } from './sign-in.js';

/** Figures that are longer than those of the other accounts. */
export function figureJourneys(stage: () => ConsoleStage): void {
  describe('the owner of an account with millions', () => {
    test('reads each amount in one line, and every word of the charts', async () => {
      const { apiKey } = await stage().openAccount('Nordlicht Wholesale', 1_234_567_123_456n);
      await asOwner(
        stage(),
        async ({ page }) => {
          await changeAnswer<Usage>(page, '**/v1/account/usage*', (usage) => {
            const day = new Date().toISOString().slice(0, 10);
            const sent = { day, destination: '44', status: 'delivered', messages: 4_000_000, segments: 4_000_000 };
            return { ...usage, data: [{ ...sent, amount: 150_400.123456 }] };
          });
          // With all its decimals, an amount takes two lines on a phone.
          for (const [path, sizes] of [
            ['/statements', [WIDE, LAPTOP]],
            ['/', [WIDE, LAPTOP, PHONE]],
          ] as const) {
            // The visit begins with the statements.
            if (path === '/') await page.goto(path);
            await page.getByText('€1,234,567.12').first().waitFor();
            for (const size of sizes) {
              await page.setViewportSize(size);
              await settled(page);
              expect({ path, ...size, broken: await page.evaluate(BROKEN_FIGURES) }).toMatchObject({ broken: [] });
              expect({ path, ...size, cut: await page.evaluate(CUT_AXES) }).toMatchObject({ cut: 0 });
            }
          }
        },
        { path: '/statements', apiKey },
      );
    });

    test('sees all of a key that works from many networks', async () => {
      const { accountId, apiKey } = await stage().openAccount('Nordlicht Warehouse');
      const networks = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8:1234:5678::/64'];
      await addApiKey(stage().service.database, accountId, { name: 'Web shop in two data centres', networks });
      await asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('Web shop in two data centres').waitFor();
          await expectTablesFit(page, 'owner/keys');
        },
        { path: '/keys', apiKey },
      );
    });

    test('reads the beginning of names that run from right to left, of the account and of its keys', async () => {
      const { accountId, apiKey } = await stage().openAccount(`${RIGHT_TO_LEFT}، ${RIGHT_TO_LEFT}`);
      await addApiKey(stage().service.database, accountId, { name: `${RIGHT_TO_LEFT}، ${RIGHT_TO_LEFT}` });
      await asOwner(
        stage(),
        async ({ page }) => {
          await page.getByText('This session').waitFor();
          await settled(page);
          expect(await page.evaluate(ARE_BEGINNINGS_SEEN)).toEqual([true, true]);
        },
        { path: '/keys', apiKey },
      );
    });
  });

  describe('the owner of an account whose programs have had a hundred keys since', () => {
    test('sees the old one that still works', async () => {
      const { database } = stage().service;
      const { accountId, apiKey } = await stage().openAccount('Nordlicht Nightly');
      for (let n = 0; n < 100; n += 1) {
        const { created } = await addApiKey(database, accountId, { name: `Night ${n}` });
        await revokeApiKey(database, created.keyId);
      }
      await asOwner(stage(), async ({ page }) => page.getByText('This session').waitFor(), { path: '/keys', apiKey });
    });
  });

  describe('an operator whose carrier throttles', () => {
    test('sees all that waits for it at one look', () =>
      asAdmin(stage(), async ({ page }) => {
        await changeAnswer<{ carriers: object[] }>(page, '**/api/overview', (overview) => {
          const waiting = { messages: 9_903, oldestSeconds: 2_006 };
          const carriers = overview.carriers.map((carrier) => ({ ...carrier, state: 'throttled', waiting }));
          return { ...overview, carriers };
        });
        await page.reload();
        await page.getByRole('region', { name: 'Carriers' }).getByText('throttled').waitFor();
        await settled(page);
        await expectNoScrolledTable(page, 'operator/overview, throttled');
      }));
  });

  describe('an owner with a phone', () => {
    test.each([
      ['Messages', '/messages'],
      ['Scheduled', '/scheduled'],
    ])('reads in the list "%s" what each message says, below its number', (name, path) =>
      asOwner(
        stage(),
        async ({ page }) => {
          const row = page.getByRole('region', { name }).getByRole('row').nth(1);
          await row.waitFor();
          const [, number, text] = await row.getByRole('cell').all();
          const words = (await text?.textContent()) ?? '';
          expect(words).toMatch(/\w/);
          await page.setViewportSize(PHONE);
          await number?.getByText(words).waitFor();
          await settled(page);
          await expectNoScrolledTable(page, `owner${path}`);
        },
        { path },
      ),
    );
  });

  describe('an operator with a phone', () => {
    test('reads the beginning of a long name that runs from right to left', async () => {
      const name = RIGHT_TO_LEFT;
      await stage().openAccount(name);
      await asAdmin(
        stage(),
        async ({ page }) => {
          await page.setViewportSize(PHONE);
          await page.getByRole('link', { name, exact: true }).waitFor();
          await settled(page);
          const seen = await page.evaluate<boolean[]>(ARE_BEGINNINGS_SEEN);
          expect(new Set(seen)).toEqual(new Set([true]));
        },
        '/accounts',
      );
    });

    test('pages through the bookings of an account, of which some are of another year', async () => {
      const { accountId } = await stage().openAccount('Lock Keepers');
      const deposit = { amount: 12_345_600_000n, currency: 'EUR' };
      for (let n = 0; n < 51; n += 1) await bookDeposit(stage().service.database, accountId, deposit);
      const open = async ({ page }: OpenPage) => {
        await page.setViewportSize(PHONE);
        const ledger = page.getByRole('region', { name: 'Ledger' });
        await ledger.getByText('€629,625.60').waitFor();
        await settled(page);
        await expectNoScrolledTable(page, 'operator/account, ledger');
        await page.getByRole('button', { name: 'Next page' }).click();
        await ledger.getByText('+€12,345.60').nth(1).waitFor({ state: 'detached' });
        // "Back" leads to the page before, and not away from the account.
        await page.goBack();
        await ledger.getByText('€629,625.60').waitFor();
        await changeAnswer<{ data: object[] }>(page, '**/deposits?*', (list) => {
          const data = list.data.map((row) => ({ ...row, createdAt: '2024-03-09T12:00:00.000Z' }));
          return { ...list, data };
        });
        await page.getByRole('tab', { name: 'Deposits' }).click();
        await page.getByText('9 Mar 2024, 13:00').first().waitFor();
      };
      // A part of the page that there is not is the first one.
      await asAdmin(stage(), open, `/accounts/${accountId}?tab=nothing`);
    });

    test('sees the cross of a dialog beside the long name of an account, and all of a notice about it', async () => {
      const { accountId } = await stage().openAccount('Donaudampfschifffahrtsgesellschaft'.repeat(2));
      await asAdmin(
        stage(),
        async ({ page }) => {
          await page.setViewportSize(PHONE);
          await page.getByRole('button', { name: 'Suspend' }).click();
          const dialog = page.getByRole('dialog');
          await settled(page);
          const [whole, cross] = await Promise.all(
            [dialog, dialog.getByRole('button', { name: 'Close' })].map((part) => part.boundingBox()),
          );
          expect(rightOf(cross)).toBeLessThan(rightOf(whole));
          await dialog.getByRole('button', { name: 'Suspend' }).click();
          const note = page.getByText('is suspended.');
          expect(await note.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
        },
        `/accounts/${accountId}`,
      );
    });

    test('has a long name, and still all of the head of the page', () =>
      asAdmin(stage(), async ({ page }) => {
        const name = 'bartholomew.featherstonehaugh-cholmondeley';
        await changeAnswer<object>(page, '**/api/me', (me) => ({ ...me, name }));
        await page.reload();
        await page.getByRole('button', { name: /^bartholomew/ }).waitFor();
        await page.setViewportSize(PHONE);
        await settled(page);
        const last = await page.getByRole('button', { name: 'Colours' }).boundingBox();
        expect(rightOf(last)).toBeLessThan(PHONE.width);
      }));

    test('reads in one line when a session was last used', () =>
      asAdmin(
        stage(),
        async ({ page }) => {
          await page.setViewportSize(PHONE);
          await page.getByRole('region', { name: 'Sessions' }).getByText(/ago/).first().waitFor();
          await settled(page);
          expect(await page.evaluate(TORN_TIMES)).toEqual([]);
        },
        '/me',
      ));
  });
}

type Box = Awaited<ReturnType<Locator['boundingBox']>>;

function rightOf(box: Box | undefined): number {
  return (box?.x ?? 0) + (box?.width ?? PHONE.width);
}

const RIGHT_TO_LEFT = 'شركة الرسائل النصية المحدودة للتجارة والتسويق';

// These run in the page.
const TORN_TIMES = `[...document.querySelectorAll('td')]
  .filter(({ textContent }) => textContent.endsWith('ago'))
  .filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  })
  .map(({ textContent }) => textContent)`;
/** For each place where such a name stands. */
const ARE_BEGINNINGS_SEEN = `[...document.querySelectorAll('td a, td p, header p')]
  .filter(({ textContent }) => textContent.startsWith('ش'))
  .map((name) => {
    const letter = document.createRange();
    letter.setStart(name.firstChild, 0);
    letter.setEnd(name.firstChild, 1);
    const place = name.matches('p') ? name : name.closest('td');
    const [seen, room] = [letter.getBoundingClientRect(), place.getBoundingClientRect()];
    return seen.left >= room.left && seen.right <= room.right;
  })`;
const BROKEN_FIGURES = `[...document.querySelectorAll('dt + dd')]
  .filter((figure) => {
    const words = document.createRange();
    words.selectNodeContents(figure);
    return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  })
  .map(({ textContent }) => textContent)`;
/** The words of an axis that does not have the room end at the edge of the drawing. */
const CUT_AXES = `[...document.querySelectorAll('.uplot canvas')]
  .filter((drawn) => drawn.getContext('2d').getImageData(0, 0, 1, drawn.height).data.some((part) => part > 0)).length`;
