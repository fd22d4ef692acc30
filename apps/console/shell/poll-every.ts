const FIRST_MS = 2_000;
const THEN_MS = 5_000;
const LAST_MS = 15_000;

/** How often what changes by itself is asked for again, by how long it has been looked at: 2, 5, then 15 seconds. */
export function pollEveryMs(sinceMs: number, nowMs: number): number {
  const ageMs = nowMs - sinceMs;
  if (ageMs < 20_000) return FIRST_MS;
  return ageMs < 120_000 ? THEN_MS : LAST_MS;
}
