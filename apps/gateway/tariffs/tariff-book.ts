import { Injectable } from '@nestjs/common';
import { buildTariff, type Tariff } from '#billing';
import { Database, type HeldRates, heldRates } from '#persistence';

/** How long prices are used without asking the database; an import notifies the gateways and takes effect at once. */
const TARIFF_TRUSTED_MS = 30_000;
/** The database looked at its clock between question and answer; if they are further apart, nobody knows when. */
const ANSWER_MAX_MS = 100;

/** Prices, until when they hold, and those that follow. */
interface HeldTariff {
  readonly tariff: Promise<Tariff>;
  /** By `performance.now()`. */
  expiresMs: number;
  next: HeldTariff | undefined;
}

/**
 * The tariffs in use, in memory, because every message looks up its price. A change that was planned for a time is read
 * before, so it begins at that time, by the clock of the database, on all gateways. Nobody waits for it then, unless
 * the database is slow.
 */
@Injectable()
export class TariffBook {
  private readonly tariffs = new Map<string, HeldTariff>();

  constructor(private readonly database: Database) {}

  tariff(tariffId: string): Promise<Tariff> {
    const nowMs = performance.now();
    let held = this.tariffs.get(tariffId);
    while (held !== undefined && held.expiresMs <= nowMs) held = held.next;
    held ??= this.load(tariffId, nowMs);
    this.tariffs.set(tariffId, held);
    return held.tariff;
  }

  forget(): void {
    this.tariffs.clear();
  }

  private load(tariffId: string, nowMs: number): HeldTariff {
    const read = heldRates(this.database, tariffId);
    const held = this.heldBy(tariffId, read, nowMs + TARIFF_TRUSTED_MS);
    void read.then(
      ({ change }) => {
        const tookMs = performance.now() - nowMs;
        if (tookMs <= ANSWER_MAX_MS) this.prepare(tariffId, held, change, nowMs + tookMs / 2);
        // Until the earliest moment at which the change may come; then the database is asked again.
        else if (change !== undefined) held.expiresMs = Math.min(held.expiresMs, nowMs + change.inMs);
      },
      () => undefined,
    );
    return held;
  }

  /** Reads the prices that follow, while the present ones hold. */
  private prepare(tariffId: string, held: HeldTariff, change: HeldRates['change'], beganMs: number): void {
    const trustedMs = held.expiresMs;
    if (change === undefined || beganMs + change.inMs >= trustedMs) return;
    held.expiresMs = beganMs + change.inMs;
    const read = heldRates(this.database, tariffId, change.at);
    const next = this.heldBy(tariffId, read, trustedMs);
    held.next = next;
    void read.then(
      (following) => this.prepare(tariffId, next, following.change, held.expiresMs),
      () => {
        // The database is asked once more when the time has come.
        held.next = undefined;
      },
    );
  }

  private heldBy(tariffId: string, read: Promise<HeldRates>, expiresMs: number): HeldTariff {
    const held: HeldTariff = { tariff: read.then(({ rates }) => buildTariff(rates)), expiresMs, next: undefined };
    // A failed read says nothing about the prices: the next send asks again.
    held.tariff.catch(() => {
      if (this.tariffs.get(tariffId) === held) this.tariffs.delete(tariffId);
    });
    return held;
  }
}
