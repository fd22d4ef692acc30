const FIRST_INTERVAL_MS = 20;
const LONGEST_INTERVAL_MS = 100;

/**
 * Waits for a fact: tries until the function neither throws nor gives `false`, and hands on what it gives. Most facts
 * come at once. For one that takes seconds, each look costs processor time, here and in the service, so the looks
 * become rarer: a fact is noticed at most a tenth of its time too late. A given `intervalMs` stays as it is.
 *
 * @throws Error what the last try threw, when the fact did not hold within the time
 */
export async function eventually<T>(
  fact: () => T | Promise<T>,
  { timeoutMs = 60_000, intervalMs }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<T, false>> {
  const begun = Date.now();
  for (;;) {
    let failure: unknown = new Error(`did not become true within ${timeoutMs} ms: ${fact}`);
    try {
      const value = await fact();
      if (value !== false) return value as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    const waitedMs = Date.now() - begun;
    if (waitedMs >= timeoutMs) throw failure;
    const restMs = intervalMs ?? Math.min(Math.max(FIRST_INTERVAL_MS, waitedMs / 10), LONGEST_INTERVAL_MS);
    await new Promise((wake) => setTimeout(wake, restMs));
  }
}
