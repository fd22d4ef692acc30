import { describe, expect, test } from '@jest/globals';
import type { ConsoleStage } from './console-stage.js';
import { judgePage } from './judge-page.js';
import { signInOwner } from './sign-in.js';

/** What owners of accounts do in their console. */
export function ownerJourneys(stage: () => ConsoleStage): void {
  describe('the owner of an account', () => {
    test('signs in with an API key, which is kept nowhere, and signs out', () =>
      stage().visit(stage().ownerUrl, async ({ page, faults }) => {
        await judgePage(page, 'owner/sign-in');
        faults.expectRefusal(401);
        await page.getByLabel('API key').fill('hg_wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('The API key is not valid.').waitFor();
        await signInOwner(page, stage());
        const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
        expect(kept).toContain('hgc_');
        expect(kept).not.toContain(stage().service.apiKey);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in to your account' }).waitFor();
        expect(await page.evaluate('sessionStorage.length')).toBe(0);
      }));
  });
}
