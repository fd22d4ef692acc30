import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const STOP_TIMEOUT_MS = 5_000;

/**
 * How to end a child: SIGTERM, and SIGKILL if it has not ended 5 s later. Call it in the turn in which the child is
 * spawned, because it also hears of a program that cannot be started.
 */
export function stopOf(child: ChildProcess): () => Promise<void> {
  const ended = once(child, 'exit').catch(() => undefined);
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const axe = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(axe);
  };
}
