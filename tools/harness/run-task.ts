import { setMaxListeners } from 'node:events';

const INTERRUPTED = 130;

/**
 * Runs a task to its end and sets the exit code. The first signal interrupts it; then it stops what it started, and
 * every step of that has its bound.
 *
 * @param timeoutMs a run that does not end is a fault
 * @param task resolves to whether all is well
 */
export async function runTask(
  name: string,
  timeoutMs: number,
  task: (signal: AbortSignal, say: (line: string) => void) => Promise<boolean>,
): Promise<void> {
  const interruption = new AbortController();
  // Scenarios with 64 senders wait for it 64 times at once: no leak.
  setMaxListeners(0, interruption.signal);
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interruption.signal.aborted) return;
      say('stopping what was started ...');
      process.exitCode = INTERRUPTED;
      interruption.abort(new Error('interrupted'));
    });
  }
  // What nobody awaits any more when it fails would end the process at once, with all that was started left behind.
  process.on('unhandledRejection', (error) => interruption.abort(error));
  const timeout = setTimeout(() => interruption.abort(new Error('the run took too long')), timeoutMs);
  try {
    if (!(await task(interruption.signal, say))) process.exitCode ??= 1;
    interruption.signal.throwIfAborted();
  } catch (error) {
    process.exitCode ??= 1;
    // What fails because the run was ended early says nothing about why it was.
    const reason: unknown = interruption.signal.aborted ? interruption.signal.reason : error;
    say(`${name}: ${reason instanceof Error ? reason.message : reason}`);
  } finally {
    clearTimeout(timeout);
  }
}
