import { mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
/** A whole run has never taken half of it. */
const BYTES_MIN = 3 * 1024 ** 3;

/**
 * A new folder for what the suite throws away: in memory where there is plenty of it, because each spec has a database
 * of some 600 files of its own, and on a disk to make and to remove those costs five times as much.
 */
export function makeDataFolder(): string {
  return mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'heliograph-test-'));
}

function hasRoomInMemory(): boolean {
  if (freemem() < BYTES_MIN) return false;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= BYTES_MIN;
  } catch {
    return false;
  }
}
