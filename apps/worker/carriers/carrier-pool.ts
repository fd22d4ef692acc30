import { Inject, Injectable } from '@nestjs/common';
import { formatMicros } from '#billing';
import {
  type CarrierReadiness,
  excludedSimulators,
  RouteTable,
  type SubmitSlot,
  takesMessages,
  type WireFormat,
} from '#carrier';
import type { Config } from '#config';
import {
  Database,
  findSandboxCarrier,
  type LiveProcess,
  listCarriers,
  listRoutes,
  SANDBOX_CARRIER_ID,
  type StoredCarrier,
} from '#persistence';
import type { Logger } from '#telemetry';
import { TakeInbound } from '../inbound/take-inbound.js';
import { CONFIG, LOG, WORKER_ID } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { SettleReceipts } from '../receipts/settle-receipts.js';
import { type ReportedCarrier, reportedCarriers, reportOf } from './carrier-reports.js';
import { type ConnectionSurroundings, connectionOf, createConnection } from './create-connection.js';
import { PooledCarrier } from './pooled-carrier.js';

/** How long messages wait for a carrier that is down or throttled before another one of their route gets them. */
const REROUTE_AFTER_MS = 3_000;

export interface CarrierSlots {
  readonly carrierId: number;
  /** How the connection of these slots writes messages. */
  readonly format: WireFormat;
  readonly slots: readonly SubmitSlot[];
}

/** The operator's carriers and routes; each carrier has a live connection if this worker may have one. */
@Injectable()
export class CarrierPool {
  private readonly pooled = new Map<number, PooledCarrier>();
  private table = new RouteTable([]);
  private refreshing: Promise<void> = Promise.resolve();
  private liveWorkers = 1;
  private isClosing = false;
  /** Who takes the slots of each carrier, by its id. */
  private readonly slotTakers = new Map<number, () => void>();
  private readonly around: ConnectionSurroundings;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(LOG) log: Logger,
    @Inject(WORKER_ID) private readonly workerId: string,
    private readonly metrics: WorkerMetrics,
    receipts: SettleReceipts,
    inbound: TakeInbound,
  ) {
    const { secretKeys } = database;
    this.around = {
      config,
      log,
      metrics,
      receipts,
      inbound,
      secretKeys,
      slotsFree: (id: number) => this.slotTakers.get(id)?.(),
    };
    metrics.showCarriers(() => this.all());
  }

  /** Reads carriers and routes again and connects, reconnects or lets go accordingly. Never rejects; one at a time. */
  refresh(): Promise<void> {
    this.refreshing = this.refreshing
      .then(() => this.read())
      .catch((error: unknown) => {
        this.around.log.warn({ err: error }, 'carriers and routes cannot be read; going on with those known');
      });
    return this.refreshing;
  }

  get routes(): RouteTable {
    return this.table;
  }

  /** Carriers whose queues this worker works on: all but those that only other workers are bound to. */
  get queuesToWorkOn(): readonly PooledCarrier[] {
    return this.all().filter(({ readiness }) => readiness !== 'bound-elsewhere');
  }

  /** Notes the reports of all live workers: they share the rate of each carrier, and the binds of some. */
  noteWorkers(workers: readonly LiveProcess[]): void {
    this.liveWorkers = Math.max(1, workers.length);
    const others = workers.filter(({ processId }) => processId !== this.workerId).flatMap(reportedCarriers);
    for (const pooled of this.pooled.values()) {
      const reports = others.filter(({ name }) => name === pooled.stored.name);
      pooled.isBoundElsewhere = reports.some(({ state }) => state === 'bound');
      pooled.paceOfOthers = reports.reduce((sum, { pace = 0 }) => sum + pace, 0);
      this.applyRate(pooled);
    }
  }

  readinessOf(carrierId: number): CarrierReadiness {
    return this.pooled.get(carrierId)?.readiness ?? 'removed';
  }

  /** For how long a carrier has taken no messages; 0 while it does. */
  unusableMs(carrierId: number): number {
    return this.pooled.get(carrierId)?.unusableMs ?? Number.POSITIVE_INFINITY;
  }

  /** Whether what waits for a carrier should look for another one. */
  isToBeLeft(carrierId: number): boolean {
    const readiness = this.readinessOf(carrierId);
    if (takesMessages(readiness)) return false;
    const isForGood = readiness === 'paused' || readiness === 'excluded' || readiness === 'removed';
    return isForGood || this.unusableMs(carrierId) >= REROUTE_AFTER_MS;
  }

  find(carrierId: number): PooledCarrier | undefined {
    return this.pooled.get(carrierId);
  }

  nameOf(carrierId: number): string {
    return this.pooled.get(carrierId)?.stored.name ?? String(carrierId);
  }

  /** With the sandbox, if an account has one. */
  all(): PooledCarrier[] {
    return [...this.pooled.values()];
  }

  /** Those that real messages may go to. */
  ofOperator(): PooledCarrier[] {
    return this.all().filter(({ id }) => id !== SANDBOX_CARRIER_ID);
  }

  /**
   * Free slots of one carrier, at once; undefined when it has none.
   *
   * @param isTest for messages that are to test it: also while it is paused or excluded
   */
  takeSlotsOf(carrierId: number, max: number, isTest = false): CarrierSlots | undefined {
    const pooled = this.pooled.get(carrierId);
    const carrier = this.isClosing ? undefined : pooled?.carrier;
    const slots = (isTest ? carrier : pooled)?.takeSlots(max) ?? [];
    return carrier && slots.length > 0 ? { carrierId, format: carrier.wireFormat, slots } : undefined;
  }

  /**
   * From now on `take` is called when slots of the carrier may be free after it gave fewer than it was asked for. Each
   * carrier has one taker.
   */
  tellOfSlots(carrierId: number, take: () => void): void {
    this.slotTakers.set(carrierId, take);
  }

  /** Counts segments that a carrier took: for its pace, and for the cost by the routes in memory. */
  countTaken(carrierId: number, destination: string, segments: number): void {
    this.pooled.get(carrierId)?.pace.note(segments);
    if (this.table.isEmpty) return;
    const cost = this.table.find(destination)?.targets.find((target) => target.carrierId === carrierId)?.cost;
    if (cost === undefined) return;
    const units = Number(formatMicros(cost.amount * BigInt(segments)));
    this.metrics.carrierCosts.inc({ carrier: this.nameOf(carrierId), currency: cost.currency }, units);
  }

  /** For the heartbeat: what operators see of the binds. */
  async reports(waitingJobs: (carrier: string) => Promise<number>): Promise<ReportedCarrier[]> {
    return Promise.all(
      this.all().map(async (pooled) => reportOf(pooled, await waitingJobs(pooled.stored.name).catch(() => undefined))),
    );
  }

  async close(graceMs: number): Promise<void> {
    this.isClosing = true;
    this.tellAll();
    await this.refreshing;
    await Promise.all(this.all().map((pooled) => this.disconnect(pooled, graceMs)));
    this.pooled.clear();
  }

  /** Makes the binds of a shared carrier as many as this worker holds of it; resolves when no surplus is left. */
  async setBinds(pooled: PooledCarrier, count: number): Promise<void> {
    pooled.bindsHeld = count;
    if (count === 0) {
      await this.disconnect(pooled, this.around.config.SHUTDOWN_GRACE_MS);
      return;
    }
    this.applyRate(pooled);
    if (pooled.carrier === undefined) await this.connect(pooled);
    else await pooled.carrier.setBinds(count);
  }

  /** Closes a carrier's connection; whatever connects next waits for that. */
  disconnect(pooled: PooledCarrier, graceMs: number): Promise<void> {
    const { carrier } = pooled;
    pooled.carrier = undefined;
    if (carrier !== undefined) {
      pooled.letGo = Promise.all([pooled.letGo, carrier.close(graceMs)]).then(() => undefined);
    }
    this.tellAll();
    return pooled.letGo;
  }

  /** Something has changed that may give slots. */
  private tellAll(): void {
    for (const take of this.slotTakers.values()) take();
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
    for (const [id, pooled] of this.pooled) {
      if (wanted.has(id)) continue;
      this.pooled.delete(id);
      this.around.log.info({ carrier: pooled.stored.name }, 'letting go of a carrier');
      void this.disconnect(pooled, this.around.config.SHUTDOWN_GRACE_MS);
    }
    this.table = new RouteTable(routes);
    const excluded = excludedSimulators(ofOperator, this.table);
    for (const carrier of stored) this.adopt(carrier, excluded.has(carrier.carrierId));
    this.tellAll();
  }

  private adopt(stored: StoredCarrier, isExcluded: boolean): void {
    const known = this.pooled.get(stored.carrierId);
    const pooled = known ?? new PooledCarrier(stored);
    this.pooled.set(stored.carrierId, pooled);
    const before = pooled.stored;
    pooled.stored = stored;
    pooled.isExcluded = isExcluded;
    const { secretKeys } = this.around;
    const isOther = known !== undefined && connectionOf(before, secretKeys) !== connectionOf(stored, secretKeys);
    if (pooled.isShared !== (before.bindCount !== undefined)) pooled.bindsHeld = 0;
    if (isOther) {
      this.around.log.info({ carrier: stored.name }, 'connecting a carrier anew, because its settings changed');
      void this.disconnect(pooled, this.around.config.SHUTDOWN_GRACE_MS);
    } else if (before.submitsPerSecond !== stored.submitsPerSecond) {
      this.applyRate(pooled);
    }
    if ((!pooled.isShared || pooled.bindsHeld > 0) && pooled.carrier === undefined) void this.connect(pooled);
  }

  private async connect(pooled: PooledCarrier): Promise<void> {
    await pooled.letGo;
    if (this.isClosing || pooled.carrier !== undefined || this.pooled.get(pooled.id) !== pooled) return;
    if (pooled.isShared && pooled.bindsHeld === 0) return;
    try {
      const carrier = createConnection(pooled, this.liveWorkers, this.around);
      pooled.carrier = carrier;
      pooled.fault = undefined;
      if (pooled.isShared) void carrier.setBinds(pooled.bindsHeld);
      carrier.start();
    } catch (error) {
      pooled.carrier = undefined;
      pooled.noteFault(error, this.around.log);
    }
  }

  private applyRate(pooled: PooledCarrier): void {
    pooled.carrier?.setSubmitsPerSecond(pooled.rateFor(this.liveWorkers));
  }
}
