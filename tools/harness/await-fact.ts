const RETRY_MS = 50;

/**
 * Asks until the answer is there.
 *
 * @param ask undefined or false: not yet. What it throws ends the waiting.
 * @throws Error naming the fact when it is not there in time; the reason of the signal when that aborts
 */
export async function awaitFact<Fact>(
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
  ask: () => Promise<Fact | undefined | false>,
): Promise<Fact> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const fact = await ask();
    if (fact !== undefined && fact !== false) return fact;
    if (performance.now() > deadline) throw new Error(`${name}: not within ${timeoutMs} ms`);
    await new Promise((wake) => setTimeout(wake, RETRY_MS));
  }
}
