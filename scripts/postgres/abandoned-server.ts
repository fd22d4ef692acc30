import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, processIdentity } from '../process/identity.js';

const TAKE_OVER_TIMEOUT_MS = 20_000;

/**
 * Clears the way for a server on this data after a start that ended without stopping its own (kill -9, a crash): ends a
 * server whose owner is gone, and removes a lock file whose process number another process has by now.
 *
 * @throws Error when the owner of a running server is alive
 */
export async function clearAbandonedServer(dataDir: string, cluster: string): Promise<void> {
  const lockFile = join(cluster, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  const server = Number.isInteger(pid) && pid > 0 ? processIdentity(pid) : undefined;
  // If no process has that number, PostgreSQL clears the file itself, after it has checked that no child is left.
  if (server === undefined) return;
  if (!isServerOf(pid, cluster)) {
    // A server that ends at this moment removes it itself, and its process has no folder any more.
    rmSync(lockFile, { force: true });
    return;
  }
  const ownerFile = join(dataDir, 'owner');
  const owner = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8') : '';
  if (owner !== '' && isAlive(owner)) {
    throw new Error(`another process (pid ${Number.parseInt(owner, 10)}) already runs PostgreSQL on ${dataDir}`);
  }
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + TAKE_OVER_TIMEOUT_MS;
  while (isAlive(server)) {
    if (Date.now() > deadline) throw new Error(`the PostgreSQL left over on ${dataDir} (pid ${pid}) does not stop`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/**
 * Whether that process is a PostgreSQL on this cluster: it works in its data folder. Without /proc the lock file is
 * believed.
 */
function isServerOf(pid: number, cluster: string): boolean {
  if (!existsSync('/proc/self/cwd')) return true;
  try {
    return realpathSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}
