import { buildTariff, type Tariff } from '#billing';
import { type Database, type HeldRates, heldRates } from '#persistence';

/** How long prices are used without asking the database; an import notifies the gateways and takes effect at once. */
const TARIFF_TRUSTED_MS = 30_000;
/** The database looked at its clock between question and answer; if they are further apart, nobody knows when. */
const ANSWER_MAX_MS = 100;

/** Prices, until when they hold, and those that follow. */
export interface HeldTariff {
  readonly tariff: Promise<Tariff>;
  /** By `performance.now()`. */
  expiresMs: number;
  next: HeldTariff | undefined;
}

/**
 * Reads the prices that hold now. A change that was planned for a time is read before, so it begins at that time, by
 * the clock of the database, on all gateways. Nobody waits for it then, unless the database is slow.
 */
export function loadTariff(database: Database, tariffId: string, nowMs: number): HeldTariff {
  const read = heldRates(database, tariffId);
  const held = heldBy(read, nowMs + TARIFF_TRUSTED_MS);
  void read.then(
    ({ change }) => {
      const tookMs = performance.now() - nowMs;
      if (tookMs <= ANSWER_MAX_MS) prepareNext(database, tariffId, held, change, nowMs + tookMs / 2);
      // Until the earliest moment at which the change may come; then the database is asked again.
      else if (change !== undefined) held.expiresMs = Math.min(held.expiresMs, nowMs + change.inMs);
    },
    () => undefined,
  );
  return held;
}

/** Reads the prices that follow, while the present ones hold. */
function prepareNext(
  database: Database,
  tariffId: string,
  held: HeldTariff,
  change: HeldRates['change'],
  beganMs: number,
): void {
  const trustedMs = held.expiresMs;
  if (change === undefined || beganMs + change.inMs >= trustedMs) return;
  held.expiresMs = beganMs + change.inMs;
  const read = heldRates(database, tariffId, change.at);
  const next = heldBy(read, trustedMs);
  held.next = next;
  void read.then(
    (following) => prepareNext(database, tariffId, next, following.change, held.expiresMs),
    () => undefined,
  );
}

function heldBy(read: Promise<HeldRates>, expiresMs: number): HeldTariff {
  const held: HeldTariff = { tariff: read.then(({ rates }) => buildTariff(rates)), expiresMs, next: undefined };
  // A failed read says nothing about the prices: the next send to which they would apply asks again.
  held.tariff.catch(() => {
    held.expiresMs = Number.NEGATIVE_INFINITY;
    held.next = undefined;
  });
  return held;
}
