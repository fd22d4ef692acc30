import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './setup-error.mjs';

const WAIT_MAX_MS = 600_000;
const RETRY_MS = 250;
/** So long at most it takes to write the file after it was made. */
const WRITTEN_AFTER_MS = 5_000;

/** Does the set-up alone: two commands started at once in a fresh clone would install and build over each other. */
export async function withSetupLock(root, work) {
  const file = join(root, '.setup.lock');
  const deadline = Date.now() + WAIT_MAX_MS;
  while (!tryLock(file)) {
    if (Date.now() > deadline) throw new SetupError(`another set-up does not end; if there is none, remove ${file}`);
    await new Promise((wake) => setTimeout(wake, RETRY_MS));
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EACCES' || error.code === 'EROFS') return true; // A read-only clone cannot be set up anyway.
    if (error.code !== 'EEXIST') throw new SetupError(`the set-up cannot begin: ${error.message}`);
  }
  if (!isRunning(file)) rmSync(file, { force: true });
  return false;
}

function isRunning(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // An empty file is being written, or was left by a kill or a full disk.
    if (pid === 0) return Date.now() - statSync(file).mtimeMs < WRITTEN_AFTER_MS;
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
