import { Gauge, type Registry } from 'prom-client';
import { formatMicros } from '#billing';
import {
  ANY_CARRIER,
  backlogDepths,
  carriersWithQueues,
  type Database,
  findHold,
  heldCounts,
  ledgerTotals,
  listCarriers,
  liveProcesses,
  type Replica,
  replicaLag,
  stateCounts,
} from '#persistence';
import type { DispatchQueue } from '#queue';

/** Figures that are read when somebody scrapes: from the database and the queue, not from this process. */
export class StoreMetrics {
  private readonly orders: Gauge;
  private readonly totals: Gauge;
  private readonly queueJobs: Gauge;
  private readonly binds: Gauge;
  private readonly holds: Gauge;
  private readonly held: Gauge;
  private readonly carrierStates: Gauge;
  private readonly carrierJobs: Gauge;
  private readonly replicaUp: Gauge;
  private readonly replicaLag: Gauge;
  private readonly backlogAccounts: Gauge;
  private readonly backlogMessages: Gauge;

  constructor(
    registry: Registry,
    private readonly database: Database,
    private readonly queue: DispatchQueue,
    private readonly replica: Replica | undefined,
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
    this.carrierStates = gauge(
      'heliograph_carrier_state',
      '1 for how the carrier stands for a worker: up, elsewhere, throttled, down or paused.',
      ['carrier', 'worker', 'state'],
    );
    this.carrierJobs = gauge('heliograph_carrier_queue_jobs', "Jobs that wait on a carrier's own queue.", ['carrier']);
    this.replicaUp = gauge('heliograph_replica_up', '1 while the replica answers and follows this database.', []);
    this.replicaLag = gauge('heliograph_replica_lag', 'How far the replica is behind, in bytes and in seconds.', [
      'unit',
    ]);
    this.backlogAccounts = gauge('heliograph_backlog_accounts', 'Accounts that wait for turns, by carrier.', [
      'carrier',
    ]);
    this.backlogMessages = gauge('heliograph_backlog_messages', 'Messages that wait for turns, by carrier.', [
      'carrier',
    ]);
  }

  /** Reads everything anew; what cannot be read is left out rather than shown stale. */
  async refresh(): Promise<void> {
    for (const gauge of this.gauges) gauge.reset();
    this.holds.remove();
    this.replicaUp.remove();
    await Promise.allSettled([
      this.refreshOrders(),
      this.refreshTotals(),
      this.refreshQueue(),
      this.refreshBacklogs(),
      this.refreshBinds(),
      this.refreshHold(),
      this.refreshReplica(),
    ]);
  }

  private get gauges(): readonly Gauge[] {
    return [
      ...[this.orders, this.totals, this.queueJobs, this.binds, this.held, this.carrierStates, this.carrierJobs],
      ...[this.backlogAccounts, this.backlogMessages],
    ];
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
    this.queue.followCarriers(await carriersWithQueues(this.database));
    const { waiting, active } = await this.queue.depth();
    this.queueJobs.set({ state: 'waiting' }, waiting);
    this.queueJobs.set({ state: 'active' }, active);
  }

  private async refreshReplica(): Promise<void> {
    this.replicaLag.reset();
    if (this.replica === undefined) return;
    try {
      const { bytes, seconds } = await replicaLag(this.database, this.replica);
      this.replicaUp.set(1);
      this.replicaLag.set({ unit: 'bytes' }, bytes);
      this.replicaLag.set({ unit: 'seconds' }, seconds);
    } catch {
      this.replicaUp.set(0);
    }
  }

  private async refreshBacklogs(): Promise<void> {
    const names = new Map((await listCarriers(this.database)).map(({ carrierId, name }) => [carrierId, name]));
    for (const { carrierId, accounts, messages } of await backlogDepths(this.database)) {
      const carrier = carrierId === ANY_CARRIER ? 'any' : (names.get(carrierId) ?? String(carrierId));
      this.backlogAccounts.set({ carrier }, accounts);
      this.backlogMessages.set({ carrier }, messages);
    }
  }

  private async refreshHold(): Promise<void> {
    const isActive = (await findHold(this.database)) !== undefined;
    this.holds.set(isActive ? 1 : 0);
    for (const { state, count } of isActive ? await heldCounts(this.database) : []) this.held.set({ state }, count);
  }

  private async refreshBinds(): Promise<void> {
    for (const worker of await liveProcesses(this.database, 'worker')) {
      for (const { name, state, readiness, waitingJobs } of carriersOf(worker.details)) {
        this.binds.set({ carrier: name, worker: worker.processId }, state === 'bound' ? 1 : 0);
        if (readiness !== undefined) {
          this.carrierStates.set({ carrier: name, worker: worker.processId, state: readiness }, 1);
        }
        if (typeof waitingJobs === 'number') this.carrierJobs.set({ carrier: name }, waitingJobs);
      }
    }
  }
}

interface ReportedCarrier {
  readonly name: string;
  readonly state: string;
  readonly readiness?: string;
  readonly waitingJobs?: number | null;
}

function carriersOf(details: Readonly<Record<string, unknown>>): ReportedCarrier[] {
  return Array.isArray(details.carriers) ? (details.carriers as ReportedCarrier[]) : [];
}
