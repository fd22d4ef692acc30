import { Inject, Injectable } from '@nestjs/common';
import { type Carrier, excludedSimulators, RouteTable } from '#carrier';
import type { Config } from '#config';
import {
  Database,
  findSandboxCarrier,
  type LiveProcess,
  listCarriers,
  listRoutes,
  reportedCarriers,
  SecretUnreadable,
  SettleReceipts,
  type StoredCarrier,
  TakeInbound,
} from '#persistence';
import { type Logger, ReceiptTraces } from '#telemetry';
import { DispatchWrites } from '../dispatch/dispatch-writes.js';
import { CONFIG, LOG, WORKER_ID } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { CarrierPool } from './carrier-pool.js';
import { type ReportedCarrier, reportOf } from './carrier-reports.js';
import { type ConnectionDependencies, connectionOf, createConnection } from './create-connection.js';
import { PooledCarrier } from './pooled-carrier.js';
import { workerRate } from './worker-rate.js';

/** Fills the pool: reads carriers and routes, and gives each carrier a live connection if this worker may have one. */
@Injectable()
export class CarrierConnections {
  private refreshing: Promise<void> = Promise.resolve();
  private liveWorkers = 1;
  private isClosing = false;
  /** Connections that are being closed, also of carriers that are no longer in the pool. */
  private readonly leaving = new Map<Carrier, PooledCarrier>();
  private readonly dependencies: ConnectionDependencies;

  constructor(
    private readonly database: Database,
    private readonly pool: CarrierPool,
    @Inject(CONFIG) config: Config,
    @Inject(LOG) log: Logger,
    @Inject(WORKER_ID) private readonly workerId: string,
    metrics: WorkerMetrics,
    writes: DispatchWrites,
    traces: ReceiptTraces,
  ) {
    const { secretKeys } = database;
    const receipts = new SettleReceipts(database, config.IN_DOUBT_WAIT_SECONDS, {
      metrics,
      write: (receipts, write) => writes.writeReceipts(receipts, write),
      stored: (carrier, receipt, tookMs) => {
        // By now the answer is known, also if the adapter read both at once: then it hands the receipt over first.
        writes.receiptStored(carrier.name, receipt.carrierMessageId, tookMs);
        traces.note(carrier, receipt, tookMs);
      },
    });
    const inbound = new TakeInbound(database, config.SENDER, { metrics, write: (write) => write() });
    this.dependencies = { config, log, metrics, receipts, inbound, secretKeys };
  }

  /** Reads carriers and routes again and connects, reconnects or lets go accordingly. Never rejects; one at a time. */
  refresh(): Promise<void> {
    this.refreshing = this.refreshing
      .then(() => this.read())
      .catch((error: unknown) => {
        this.dependencies.log.warn({ err: error }, 'carriers and routes cannot be read; going on with those known');
      });
    return this.refreshing;
  }

  /** Notes the reports of all live workers: they share the rate of each carrier, and the binds of some. */
  noteWorkers(workers: readonly LiveProcess[]): void {
    this.liveWorkers = Math.max(1, workers.length);
    const others = workers.filter(({ processId }) => processId !== this.workerId).flatMap(reportedCarriers);
    for (const pooled of this.pool.all()) {
      const reports = others.filter(({ name }) => name === pooled.stored.name);
      pooled.isBoundElsewhere = reports.some(({ state }) => state === 'bound');
      pooled.paceOfOthers = reports.reduce((sum, { pace = 0 }) => sum + pace, 0);
      this.applyRate(pooled);
    }
  }

  /** For the heartbeat: what operators see of the binds. */
  async reports(waitingJobs: (carrier: string) => Promise<number>): Promise<ReportedCarrier[]> {
    return Promise.all(
      this.pool
        .all()
        .map(async (pooled) => reportOf(pooled, await waitingJobs(pooled.stored.name).catch(() => undefined))),
    );
  }

  async close(graceMs: number): Promise<void> {
    this.isClosing = true;
    await this.refreshing;
    const all = new Set([...this.pool.all(), ...this.leaving.values()]);
    await Promise.all([...all].map((pooled) => this.disconnect(pooled, graceMs)));
    for (const pooled of this.pool.all()) this.pool.remove(pooled);
  }

  /** Makes the binds of a shared carrier as many as this worker holds of it; resolves when no surplus is left. */
  async setBinds(pooled: PooledCarrier, count: number): Promise<void> {
    pooled.bindsHeld = count;
    if (count === 0) {
      await this.disconnect(pooled, this.dependencies.config.SHUTDOWN_GRACE_MS);
      return;
    }
    this.applyRate(pooled);
    if (pooled.carrier === undefined) await this.connect(pooled);
    else await pooled.carrier.setBinds(count);
  }

  /** Closes a carrier's connection; whatever connects next waits for that. A second call can only shorten the wait. */
  disconnect(pooled: PooledCarrier, graceMs: number): Promise<void> {
    const { carrier } = pooled;
    pooled.carrier = undefined;
    if (carrier !== undefined) this.leaving.set(carrier, pooled);
    for (const [left, owner] of this.leaving) {
      if (owner !== pooled) continue;
      const closed = left.close(graceMs).finally(() => this.leaving.delete(left));
      pooled.letGo = Promise.all([pooled.letGo, closed]).then(() => undefined);
    }
    return pooled.letGo;
  }

  private async read(): Promise<void> {
    if (this.isClosing) return;
    const [ofOperator, sandbox, routes] = await Promise.all([
      listCarriers(this.database),
      findSandboxCarrier(this.database),
      listRoutes(this.database),
    ]);
    const stored = sandbox === undefined ? ofOperator : [...ofOperator, sandbox];
    const wanted = new Map(stored.map((carrier) => [carrier.carrierId, carrier]));
    for (const pooled of this.pool.all()) {
      if (wanted.has(pooled.id)) continue;
      this.pool.remove(pooled);
      this.dependencies.log.info({ carrier: pooled.stored.name }, 'letting go of a carrier');
      void this.disconnect(pooled, this.dependencies.config.SHUTDOWN_GRACE_MS);
    }
    this.pool.routes = new RouteTable(routes);
    const excluded = excludedSimulators(ofOperator, this.pool.routes);
    for (const carrier of stored) this.adopt(carrier, excluded.has(carrier.carrierId));
  }

  private adopt(stored: StoredCarrier, isExcluded: boolean): void {
    const known = this.pool.find(stored.carrierId);
    const pooled = known ?? new PooledCarrier(stored);
    this.pool.add(pooled);
    const before = pooled.stored;
    pooled.stored = stored;
    pooled.isExcluded = isExcluded;
    const { secretKeys } = this.dependencies;
    const isOther = known !== undefined && connectionOf(before, secretKeys) !== connectionOf(stored, secretKeys);
    if (pooled.isShared !== (before.bindCount !== undefined)) pooled.bindsHeld = 0;
    if (isOther) {
      this.dependencies.log.info({ carrier: stored.name }, 'connecting a carrier anew, because its settings changed');
      void this.disconnect(pooled, this.dependencies.config.SHUTDOWN_GRACE_MS);
    } else if (before.submitsPerSecond !== stored.submitsPerSecond) {
      this.applyRate(pooled);
    }
    if ((!pooled.isShared || pooled.bindsHeld > 0) && pooled.carrier === undefined) void this.connect(pooled);
    // It may be paused or excluded no longer.
    pooled.onSlotsFree();
  }

  private async connect(pooled: PooledCarrier): Promise<void> {
    await pooled.letGo;
    if (this.isClosing || pooled.carrier !== undefined || this.pool.find(pooled.id) !== pooled) return;
    if (pooled.isShared && pooled.bindsHeld === 0) return;
    try {
      const carrier = createConnection(pooled, this.liveWorkers, this.dependencies);
      pooled.carrier = carrier;
      pooled.fault = undefined;
      if (pooled.isShared) void carrier.setBinds(pooled.bindsHeld);
      carrier.start();
    } catch (error) {
      pooled.carrier = undefined;
      this.noteFault(pooled, error);
    }
  }

  /** The worker cannot connect to it and tries again at every refresh; the log has each reason once. */
  private noteFault(pooled: PooledCarrier, error: unknown): void {
    const { log } = this.dependencies;
    const { name } = pooled.stored;
    const fault = error instanceof Error ? error.message : String(error);
    pooled.noteError(fault);
    if (fault === pooled.fault) return;
    pooled.fault = fault;
    if (error instanceof SecretUnreadable) log.error({ carrier: name }, `carrier ${name} is down: ${fault}`);
    else log.error({ err: error, carrier: name }, 'a carrier has settings that cannot work');
  }

  private applyRate(pooled: PooledCarrier): void {
    pooled.carrier?.setSubmitsPerSecond(workerRate(pooled, this.liveWorkers));
  }
}
