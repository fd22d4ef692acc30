import { Injectable } from '@nestjs/common';
import { buildTariff, type Tariff } from '#billing';
import { Database, tariffRates } from '#persistence';

/** How long prices are used without asking the database; an import notifies the gateways and takes effect at once. */
const TARIFF_TRUSTED_MS = 30_000;

/** The tariffs in use, in memory, because every message looks up its price. */
@Injectable()
export class TariffBook {
  private readonly tariffs = new Map<string, { tariff: Promise<Tariff>; expiresMs: number }>();

  constructor(private readonly database: Database) {}

  tariff(tariffId: string): Promise<Tariff> {
    const nowMs = performance.now();
    const hit = this.tariffs.get(tariffId);
    if (hit !== undefined && hit.expiresMs > nowMs) return hit.tariff;
    const tariff = tariffRates(this.database, tariffId).then(buildTariff);
    this.tariffs.set(tariffId, { tariff, expiresMs: nowMs + TARIFF_TRUSTED_MS });
    tariff.catch(() => this.tariffs.delete(tariffId));
    return tariff;
  }

  forget(): void {
    this.tariffs.clear();
  }
}
