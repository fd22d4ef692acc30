import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestService } from './service.js';

const WORKER = fileURLToPath(new URL('../../apps/worker/main.js', import.meta.url));

/** A worker in a process of its own, as in production. `onComplaint` gets what it writes to stderr. */
export function spawnWorker(running: TestService, onComplaint: (text: string) => void = () => undefined): ChildProcess {
  const { NODE_OPTIONS: _forJest, ...environment } = process.env;
  const child = spawn(process.execPath, [WORKER], {
    env: { ...environment, ...running.settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.setEncoding('utf8').on('data', onComplaint);
  return child;
}

/** Ends a process, if it has not ended yet; its exit code, null after a signal. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
  return child.exitCode;
}
