import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 10_000;

/**
 * Runs a short command of this system to its end.
 *
 * @throws Error with what it printed when it fails
 */
export async function runCommand(command: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args, { timeout: TIMEOUT_MS });
}
