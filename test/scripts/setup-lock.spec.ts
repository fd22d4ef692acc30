import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';

interface SetupLock {
  withSetupLock(root: string, work: () => Promise<void>): Promise<void>;
}

test('a set-up goes on where an earlier one left an empty lock behind, as on a full disk', async () => {
  const root = mkdtempSync(join(tmpdir(), 'heliograph-lock-'));
  const file = join(root, '.setup.lock');
  writeFileSync(file, '');
  const minuteAgo = Date.now() / 1_000 - 60;
  utimesSync(file, minuteAgo, minuteAgo);
  const { withSetupLock } = (await import(pathToFileURL('scripts/setup/lock.mjs').href)) as SetupLock;
  let hasRun = false;
  await withSetupLock(root, async () => {
    hasRun = true;
  });
  expect([hasRun, existsSync(file)]).toEqual([true, false]);
  rmSync(root, { recursive: true });
});
