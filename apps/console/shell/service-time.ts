let aheadMs = 0;

/** Each answer tells the time of the service: the clock of the browser may be wrong. */
export function heedServiceTime(date: string | null): void {
  const atMs = Date.parse(date ?? '');
  if (!Number.isNaN(atMs)) aheadMs = atMs - Date.now();
}

/** The month of the service, in UTC: `2026-11`. */
export function serviceMonth(): string {
  return new Date(Date.now() + aheadMs).toISOString().slice(0, 'YYYY-MM'.length);
}
