/** How often the clock is read: what comes late comes all at once. */
const TICK_MS = 1;

/**
 * An open load: calls at a fixed rate, whatever becomes of the calls. Nothing is left out for want of time: what is due
 * is called, and told when it was due (of performance.now).
 *
 * @returns stops it
 */
export function atRate(perSecond: number, call: (dueMs: number) => void, tickMs = TICK_MS): () => void {
  const startMs = performance.now();
  let count = 0;
  const clock = setInterval(() => {
    const nowMs = performance.now();
    for (;;) {
      const dueMs = startMs + (count * 1_000) / perSecond;
      if (dueMs > nowMs) return;
      count += 1;
      call(dueMs);
    }
  }, tickMs);
  return () => clearInterval(clock);
}
