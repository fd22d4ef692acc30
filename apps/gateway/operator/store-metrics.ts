import { Gauge, type Registry } from 'prom-client';
import { formatMicros } from '#billing';
import { type Database, findHold, heldCounts, ledgerTotals, liveProcesses, stateCounts } from '#persistence';
import type { DispatchQueue } from '#queue';

/** Figures that are read when somebody scrapes: from the database and the queue, not from this process. */
export class StoreMetrics {
  private readonly orders: Gauge;
  private readonly totals: Gauge;
  private readonly queueJobs: Gauge;
  private readonly binds: Gauge;
  private readonly holds: Gauge;
  private readonly held: Gauge;

  constructor(
    registry: Registry,
    private readonly database: Database,
    private readonly queue: DispatchQueue,
  ) {
    const gauge = (name: string, help: string, labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.orders = gauge('heliograph_orders_open', 'Orders that are not final, by state.', ['state']);
    this.totals = gauge('heliograph_ledger_units', 'Sums over all accounts, in units of the currency.', [
      'currency',
      'bucket',
    ]);
    this.queueJobs = gauge('heliograph_queue_jobs', 'Dispatch jobs on the queue.', ['state']);
    this.binds = gauge('heliograph_carrier_bound', '1 while a worker is bound to the carrier.', ['carrier', 'worker']);
    this.holds = gauge('heliograph_hold_active', '1 while a hold keeps back what was open at a restore.', []);
    this.held = gauge('heliograph_orders_held', 'Orders that the hold keeps back, by state.', ['state']);
  }

  /** Reads everything anew; what cannot be read is left out rather than shown stale. */
  async refresh(): Promise<void> {
    for (const gauge of [this.orders, this.totals, this.queueJobs, this.binds, this.held]) gauge.reset();
    this.holds.remove();
    await Promise.allSettled([
      this.refreshOrders(),
      this.refreshTotals(),
      this.refreshQueue(),
      this.refreshBinds(),
      this.refreshHold(),
    ]);
  }

  private async refreshOrders(): Promise<void> {
    for (const { state, count } of await stateCounts(this.database)) this.orders.set({ state }, count);
  }

  private async refreshTotals(): Promise<void> {
    for (const { currency, deposited, reserved, captured } of await ledgerTotals(this.database)) {
      this.totals.set({ currency, bucket: 'deposited' }, Number(formatMicros(deposited)));
      this.totals.set({ currency, bucket: 'reserved' }, Number(formatMicros(reserved)));
      this.totals.set({ currency, bucket: 'captured' }, Number(formatMicros(captured)));
    }
  }

  private async refreshQueue(): Promise<void> {
    const { waiting, active } = await this.queue.depth();
    this.queueJobs.set({ state: 'waiting' }, waiting);
    this.queueJobs.set({ state: 'active' }, active);
  }

  private async refreshHold(): Promise<void> {
    const isActive = (await findHold(this.database)) !== undefined;
    this.holds.set(isActive ? 1 : 0);
    for (const { state, count } of isActive ? await heldCounts(this.database) : []) this.held.set({ state }, count);
  }

  private async refreshBinds(): Promise<void> {
    for (const worker of await liveProcesses(this.database, 'worker')) {
      for (const { name, state } of carriersOf(worker.details)) {
        this.binds.set({ carrier: name, worker: worker.processId }, state === 'bound' ? 1 : 0);
      }
    }
  }
}

function carriersOf(details: Readonly<Record<string, unknown>>): { name: string; state: string }[] {
  return Array.isArray(details.carriers) ? (details.carriers as { name: string; state: string }[]) : [];
}
