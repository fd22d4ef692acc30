import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, processIdentity } from '../process/identity.js';
import { StartupError } from './startup-error.js';

/**
 * Claims a data folder for this process; takes over the claim of a killed process.
 *
 * @returns a function that gives the claim back
 * @throws StartupError when a running process has it, or nothing can be written there
 */
export function claimDataDir(dataDir: string): () => void {
  const file = join(dataDir, 'instance.lock');
  const identity = processIdentity(process.pid) ?? String(process.pid);
  for (;;) {
    try {
      writeFileSync(file, identity, { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new StartupError(`DATA_DIR: ${message}`);
    }
    const owner = readFileSync(file, 'utf8');
    if (isAlive(owner)) {
      const pid = Number.parseInt(owner, 10);
      throw new StartupError(
        `another instance (pid ${pid}) runs on ${dataDir}: stop it, or set DATA_DIR to another folder`,
      );
    }
    rmSync(file, { force: true });
  }
}
