import { Injectable } from '@nestjs/common';
import type { Tariff } from '#billing';
import { RouteTable } from '#carrier';
import { Database, type KeyHolder, listRoutes } from '#persistence';
import { KeptAnswer } from '#timing';
import type { Rules } from './draft-faults.js';
import { type HeldTariff, loadTariff } from './load-tariff.js';

/** How long routes are used without asking the database; a change by an operator takes effect at once. */
const ROUTES_TRUSTED_MS = 5_000;

/** The tariffs in use and the routes, in memory, because every message looks up its price and its route. */
@Injectable()
export class SendRules {
  private readonly tariffs = new Map<string, HeldTariff>();
  readonly routes = new KeptAnswer(ROUTES_TRUSTED_MS, async () => new RouteTable(await listRoutes(this.database)));

  constructor(private readonly database: Database) {}

  /** Those for a request that has come now. */
  async of(account: KeyHolder): Promise<Rules> {
    return { account, tariff: await this.tariff(account.tariffId), routes: await this.routes.get(), nowMs: Date.now() };
  }

  tariff(tariffId: string): Promise<Tariff> {
    const nowMs = performance.now();
    let held = this.tariffs.get(tariffId);
    while (held !== undefined && held.expiresMs <= nowMs) held = held.next;
    held ??= loadTariff(this.database, tariffId, nowMs);
    this.tariffs.set(tariffId, held);
    return held.tariff;
  }

  forgetTariffs(): void {
    this.tariffs.clear();
  }
}
