import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartupError } from './startup-error.js';

/**
 * Makes the data folder and returns its absolute path.
 *
 * @throws StartupError in one line when it cannot be made
 */
export function makeDataDir(given: string): string {
  const dataDir = resolve(given);
  try {
    makeWithParents(dataDir);
    return dataDir;
  } catch (error) {
    throw new StartupError(`DATA_DIR: ${error instanceof Error ? error.message : error}`);
  }
}

/** Not mkdir's own recursion, which never ends if a parent exists and accepts no folder (/proc). */
function makeWithParents(dir: string): void {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error(`${dir} is not a folder`);
  makeWithParents(dirname(dir));
  mkdirSync(dir);
}
