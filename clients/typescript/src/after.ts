/** A timer of more, such as Infinity, would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** A timer for any time. */
export function after(ms: number, run: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(run, Math.min(ms, TIMER_MAX_MS));
}
