import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type ConsoleStage, holdAct } from './console-stage.js';
import { judgePage } from './judge-page.js';
import { asAdmin, fillSignIn, goTo } from './sign-in.js';

const NEW_PASSWORD = 'four words nobody uses';

/** Who may do what. */
export function operatorPeopleJourneys(stage: () => ConsoleStage): void {
  describe('a colleague of the operator', () => {
    test('chooses a password, and is offered and allowed no more than the role of viewer, then of support', () =>
      asAdmin(stage(), async ({ page }) => {
        await goTo(page, 'People and roles');
        await page.getByRole('button', { name: 'Add somebody' }).click();
        const adding = page.getByRole('dialog', { name: 'Add somebody' });
        await adding.getByLabel('Name').fill('mira');
        const slow = await holdAct(page, '**/api/operators');
        await adding.getByRole('button', { name: 'Add somebody' }).click();
        // Whoever loses patience is still told what comes of it.
        await page.keyboard.press('Escape');
        expect(await adding.isVisible()).toBe(true);
        slow.letGo();
        const made = page.getByRole('dialog', { name: 'mira may sign in with this password' });
        const password = (await made.locator('code').textContent()) ?? '';
        await judgePage(page, 'operator/password-shown-once');
        await made.getByRole('button', { name: 'I have kept it' }).click();
        await judgePage(page, 'operator/people');

        await stage().visit(stage().operatorUrl, async ({ page: hers, faults }) => {
          await fillSignIn(hers, 'mira', password);
          await hers.getByRole('heading', { name: 'Choose your password' }).waitFor();
          await judgePage(hers, 'operator/choose-password');
          const fields = hers.locator('input[type=password]');
          for (const [index, text] of [password, NEW_PASSWORD, NEW_PASSWORD].entries()) {
            await fields.nth(index).fill(text);
          }
          // What was typed outlives the session: the page asks for the sign-in over it.
          faults.expectRefusal(401);
          await stage().service.database.query(
            `delete from operator_session s using operator o where s.operator_id = o.operator_id and o.name = 'mira'`,
          );
          await hers.getByRole('button', { name: 'Change the password' }).click();
          const again = hers.getByRole('dialog', { name: 'Sign in again' });
          await again.locator('input[type=password]').fill(password);
          await again.getByRole('button', { name: 'Sign in', exact: true }).click();
          await again.waitFor({ state: 'detached' });
          expect(await hers.getByText('Your session is over.').count()).toBe(0);
          await hers.getByRole('button', { name: 'Change the password' }).click();
          await hers.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
          expect(await hers.getByRole('link', { name: 'People and roles' }).count()).toBe(0);
          await openAccount(hers);
          expect(await actsOffered(hers)).toEqual([]);
          faults.expectRefusal(403);
          expect(await tryDeposit(hers, stage().demo.accountId)).toBe(403);

          await page.getByRole('button', { name: 'Change: mira' }).click();
          await page.getByRole('menuitem', { name: 'Another role' }).click();
          await page.getByLabel('Support').check();
          await judgePage(page, 'operator/role');
          await page.getByRole('button', { name: 'Save' }).click();
          await page.getByText('mira is Support from the next request on.').waitFor();
          await hers.reload();
          await hers.getByRole('button', { name: 'Suspend' }).waitFor();
          expect(await actsOffered(hers)).toEqual(['Change settings', 'Suspend']);
          expect(await tryDeposit(hers, stage().demo.accountId)).toBe(403);

          // Somebody else signs in with another tab of this browser, which has the session of both.
          await hers.evaluate(
            `dispatchEvent(new StorageEvent('storage', { key: 'heliograph.operator', newValue: 'admin' }))`,
          );
          await hers.getByRole('dialog', { name: 'Sign in again' }).waitFor();
        });
      }));

    test('is there, and stays signed in, as long as he or she refreshes pages', () =>
      asAdmin(
        stage(),
        async ({ page }) => {
          await page.getByText('bound').first().waitFor();
          const isOfPerson = page.waitForRequest(
            (request) => request.url().endsWith('/api/carriers') && request.headers()['x-background'] === undefined,
          );
          await page.getByRole('button', { name: 'Refresh' }).click();
          await isOfPerson;
        },
        '/carriers',
      ));
  });
}

async function openAccount(page: Page): Promise<void> {
  await goTo(page, 'Accounts');
  await page.getByRole('link', { name: 'Nordlicht Coffee' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nordlicht Coffee' }).waitFor();
  await page.getByText('Credit limit').first().waitFor();
}

/** The buttons for what can be done with an account. */
async function actsOffered(page: Page): Promise<string[]> {
  const names = ['Book a deposit', 'Adjust the balance', 'Change settings', 'Suspend'];
  const counts = await Promise.all(names.map((name) => page.getByRole('button', { name }).count()));
  return names.filter((_, index) => counts[index] !== 0);
}

/** Asks for a deposit past the page, as somebody would who reads its scripts; gives the status of the answer. */
function tryDeposit(page: Page, accountId: string): Promise<number> {
  return page.evaluate<number>(`fetch('/api/accounts/${accountId}/deposits', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"amount":"5","currency":"EUR"}',
  }).then(({ status }) => status)`);
}
