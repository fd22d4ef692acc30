const DAYS_MAX = 30;

/** What is wrong with a time from a field of the browser, in local time; the service has the same bounds. */
export function sendAtFault(local: string, nowMs: number): 'missing' | 'past' | 'far' | undefined {
  const atMs = new Date(local).getTime();
  if (Number.isNaN(atMs)) return 'missing';
  if (atMs <= nowMs) return 'past';
  return atMs - nowMs > DAYS_MAX * 86_400_000 ? 'far' : undefined;
}
