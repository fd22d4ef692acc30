/**
 * Waits for a fact: tries until the function neither throws nor gives `false`, and hands on what it gives.
 *
 * @throws Error what the last try threw, when the fact did not hold within the time
 */
export async function eventually<T>(
  fact: () => T | Promise<T>,
  { timeoutMs = 60_000, intervalMs = 20 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Exclude<T, false>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error(`did not become true within ${timeoutMs} ms: ${fact}`);
    try {
      const value = await fact();
      if (value !== false) return value as Exclude<T, false>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() >= deadline) throw failure;
    await new Promise((wake) => setTimeout(wake, intervalMs));
  }
}
