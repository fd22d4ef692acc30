/**
 * Waits for a fact and returns it: polls until `probe` gives something other than undefined or false, at most
 * `timeoutMs`.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false,
  timeoutMs = 30_000,
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const fact = probe();
    if (fact !== undefined && fact !== false) return fact as Exclude<T, undefined | false>;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
