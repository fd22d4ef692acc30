import { describe, expect, test } from '@jest/globals';
import { carrierPause, carrierResume } from '#operations';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { type ConsoleStage, picture } from './console-stage.js';
import { expectAccessible, judgePage, settled } from './judge-page.js';
import { asAdmin, fillSignIn } from './sign-in.js';

const CARRIER = { name: 'simulator' };
/** Another tab of the browser has the session of another person. */
const SIGNED_IN_ELSEWHERE = `dispatchEvent(new StorageEvent('storage', { key: 'heliograph.operator', newValue: 'x' }))`;

/** What a restore leaves to decide, and who may decide it. */
export function operatorHoldJourneys(stage: () => ConsoleStage): void {
  describe('a hold', () => {
    test('is set, decided and ended by somebody who says once more who it is', async () => {
      const { database } = stage().service;
      await carrierPause(database, CARRIER);
      const { apiKey } = await stage().openAccount('Ferry Line', 10_000_000n);
      for (const number of ['+46701234521', '+46701234522']) await stage().send(apiKey, number, 'Gate 4 is open');
      await asAdmin(
        stage(),
        async ({ page, faults }) => {
          await page.getByRole('button', { name: 'Set a hold' }).click();
          const setting = page.getByRole('dialog', { name: 'Hold all open messages?' });
          await setting.getByLabel('Reason').fill('The database was restored to 14:05');
          await setting.getByRole('button', { name: 'Set a hold' }).click();
          await page.getByText('The hold is set.').waitFor();
          await page.getByRole('button', { name: 'Decide: Ferry Line, queued' }).waitFor();
          await settled(page);
          await expectAccessible(page, 'operator/hold, set');

          await page.getByRole('button', { name: 'Decide: Ferry Line, queued' }).click();
          const deciding = page.getByRole('dialog', { name: 'Decide about the messages of Ferry Line' });
          await deciding.getByLabel('Refund them').check();
          await judgePage(page, 'operator/resolve-hold');
          // As if more than five minutes had passed since the sign-in.
          await database.query(`update operator_session set confirmed_at = now() - interval '6 minutes'`);
          for (const status of [401, 403]) faults.expectRefusal(status);
          await deciding.getByRole('button', { name: 'Refund 2 messages' }).click();
          const asking = page.getByRole('dialog', { name: 'Is it you?' });
          const password = asking.getByRole('textbox', { name: 'Password' });
          await password.fill('not the password');
          await asking.getByRole('button', { name: 'Go on' }).click();
          await asking.getByText('The password is wrong.').waitFor();
          // The dialog below is busy meanwhile, so the page never settles.
          await expectAccessible(page, 'operator/confirm-identity');
          await picture(page, 'operator/confirm-identity');
          await password.fill(OPERATOR_PASSWORD);
          await asking.getByRole('button', { name: 'Go on' }).click();
          await page.getByText('2 messages are decided.').waitFor();
          await page.getByText('Nothing is held').waitFor();

          const endHold = async () => {
            await page.getByRole('button', { name: 'End the hold' }).click();
            await page.getByRole('dialog').getByRole('button', { name: 'End the hold' }).click();
          };
          // Whoever signs in next is not asked for what somebody else has left at that question.
          await database.query(`update operator_session set confirmed_at = now() - interval '6 minutes'`);
          await endHold();
          await asking.waitFor();
          await page.evaluate(SIGNED_IN_ELSEWHERE);
          await page.getByRole('button', { name: 'Sign out, to sign in as somebody else' }).click();
          await fillSignIn(page, 'admin', OPERATOR_PASSWORD);
          await page.getByRole('button', { name: 'End the hold' }).waitFor();
          expect(await asking.count()).toBe(0);
          await endHold();
          await page.getByText('The hold has ended').waitFor();
        },
        '/hold',
      );
      await carrierResume(database, CARRIER);
    });
  });
}
