import { Injectable } from '@nestjs/common';
import type { Tariff } from '#billing';
import { Database } from '#persistence';
import { type HeldTariff, loadTariff } from './load-tariff.js';

/** The tariffs in use, in memory, because every message looks up its price. */
@Injectable()
export class TariffBook {
  private readonly tariffs = new Map<string, HeldTariff>();

  constructor(private readonly database: Database) {}

  tariff(tariffId: string): Promise<Tariff> {
    const nowMs = performance.now();
    let held = this.tariffs.get(tariffId);
    while (held !== undefined && held.expiresMs <= nowMs) held = held.next;
    held ??= loadTariff(this.database, tariffId, nowMs);
    this.tariffs.set(tariffId, held);
    return held.tariff;
  }

  forget(): void {
    this.tariffs.clear();
  }
}
