const RETRY_MS = 50;

/**
 * Asks until the answer is there.
 *
 * @param ask undefined: not yet. What it throws ends the waiting.
 * @throws Error naming the fact when it is not there in time
 */
export async function awaitFact<Fact>(
  name: string,
  timeoutMs: number,
  ask: () => Promise<Fact | undefined>,
): Promise<Fact> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const fact = await ask();
    if (fact !== undefined) return fact;
    if (performance.now() > deadline) throw new Error(`${name}: not within ${timeoutMs} ms`);
    await new Promise((wake) => setTimeout(wake, RETRY_MS));
  }
}
