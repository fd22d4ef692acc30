import type { Config } from '#config';
import {
  type BacklogLane,
  type Database,
  type FedOrder,
  failUnroutable,
  NOT_ROUTED,
  putInBacklog,
  takeFromBacklog,
  waitingScopes,
} from '#persistence';
import type { DispatchQueues, JobPriority } from '#queue';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import { chooseCarrier } from './choose-carrier.js';
import { QueueRoom } from './queue-room.js';

/** How often a feeder looks for backlogs by itself; a job on its queue or room on a carrier's queue wakes it sooner. */
const LOOK_EVERY_MS = 500;
/** Segments of an account's turn at least, so that a busy feeder need not ask for every few messages. */
const QUANTUM_MIN = 5;
const QUANTUM_MAX = 500;
/** Orders that are routed ahead, so that what waits for one carrier does not stand before what another one could take. */
const ROUTED_AHEAD = 1_000;
/** After a look for other carriers in vain. */
const LEAVE_AGAIN_MS = 3_000;
/** Of the bulk jobs that wait while interactive jobs never end, so many go first at each look. */
const PROMOTED_SHARE = 0.25;

/**
 * USE CASE: moves orders from the backlogs of the accounts to the queues of the carriers, round robin by account, and routes them by
 * routes and carriers as they stand at that moment. It keeps each queue short: what goes out in about a second. Every worker has
 * one; the database gives each of them other accounts.
 */
export class Feeder {
  private timer: NodeJS.Timeout | undefined;
  private feeding: Promise<void> | undefined;
  private isWanted = false;
  private isStopped = false;
  /** Whether accounts waited when this feeder last looked: then room on a queue is worth a look. */
  private hasMore = false;
  /** By scope, until when looking for other carriers is in vain. */
  private readonly leaveAgainMs = new Map<number, number>();
  /** Bulk jobs on each carrier's queue at the last look. */
  private readonly bulkBefore = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly pool: CarrierPool,
    private readonly queues: DispatchQueues,
    private readonly metrics: Pick<WorkerMetrics, 'fed' | 'failovers' | 'moves'>,
    private readonly onFault: (fault: unknown) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.wake();
      void this.shareWithBulk().catch(this.onFault);
    }, LOOK_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.feeding;
  }

  /** Accounts may have backlogs. */
  wake(): void {
    this.isWanted = true;
    if (this.isStopped) return;
    this.feeding ??= this.feed().finally(() => {
      this.feeding = undefined;
      if (this.isWanted) this.wake();
    });
  }

  /** There may be room on a carrier's queue. */
  roomMade(): void {
    if (this.hasMore) this.wake();
  }

  private async feed(): Promise<void> {
    try {
      while (this.isWanted && !this.isStopped) {
        this.isWanted = false;
        if (await this.feedOnce()) this.isWanted = true;
      }
    } catch (fault) {
      // What was taken and is on no queue is due soon.
      this.onFault(fault);
    }
  }

  /** One look at every scope; whether another one is worth while. */
  private async feedOnce(): Promise<boolean> {
    const scopes = await waitingScopes(this.database);
    this.hasMore = scopes.length > 0;
    if (scopes.length === 0) return false;
    const room = await QueueRoom.read(this.pool.all(), this.queues);
    let isFed = false;
    for (const { carrierId, accounts } of scopes) {
      const segmentsMax = this.segmentsFor(carrierId, room);
      if (segmentsMax <= 0) continue;
      const orders = await takeFromBacklog(this.database, {
        carrierId,
        segmentsMax,
        quantum: Math.min(segmentsMax, QUANTUM_MAX, Math.max(QUANTUM_MIN, Math.floor(segmentsMax / accounts))),
        dueAfterSeconds: this.config.SWEEP_AFTER_SECONDS,
        inFlightMax: this.config.ACCOUNT_IN_FLIGHT_MAX,
      });
      if (orders.length > 0 && (await this.moveOn(carrierId, orders, room))) isFed = true;
    }
    return isFed;
  }

  /** How much of a scope can go on now. */
  private segmentsFor(scope: number, room: QueueRoom): number {
    if (scope === NOT_ROUTED) return this.pool.routes.isEmpty ? room.total : ROUTED_AHEAD;
    const own = room.of(scope);
    if (own > 0 || !this.pool.isToBeLeft(scope)) return own;
    return performance.now() >= (this.leaveAgainMs.get(scope) ?? 0) ? ROUTED_AHEAD : 0;
  }

  /** Puts orders on their carriers' queues while there is room, and into the backlog of their carrier else; whether any went on. */
  private async moveOn(scope: number, orders: readonly FedOrder[], room: QueueRoom): Promise<boolean> {
    const unroutable: string[] = [];
    const waiting = new Map<string, { carrierId: number; lane: BacklogLane; ids: string[] }>();
    const queued = new Map<number, Record<JobPriority, string[]>>();
    for (const order of orders) {
      const choice = chooseCarrier(this.pool, room, order);
      if (choice === 'unroutable') {
        unroutable.push(order.id);
        continue;
      }
      if (choice !== undefined && room.use(choice.carrierId, order.segments)) {
        const jobs = queued.get(choice.carrierId) ?? { interactive: [], bulk: [] };
        queued.set(choice.carrierId, jobs);
        jobs[order.lane === 'single' ? 'interactive' : 'bulk'].push(order.id);
        if (choice.isFailover) this.metrics.failovers.inc({ carrier: this.pool.nameOf(choice.carrierId) });
        continue;
      }
      const carrierId = this.pool.routes.isEmpty ? NOT_ROUTED : (choice?.carrierId ?? scope);
      const key = `${carrierId}/${order.lane}`;
      const rest = waiting.get(key) ?? { carrierId, lane: order.lane, ids: [] };
      waiting.set(key, rest);
      rest.ids.push(order.id);
    }
    const moved = [...waiting.values()].filter(({ carrierId }) => carrierId !== scope);
    const isOn = queued.size > 0 || moved.length > 0 || unroutable.length > 0;
    if (!isOn) this.leaveAgainMs.set(scope, performance.now() + LEAVE_AGAIN_MS);
    await Promise.all([
      ...[...queued].map(([carrierId, jobs]) => this.enqueue(carrierId, jobs, room)),
      ...[...waiting.values()].map(({ carrierId, lane, ids }) => putInBacklog(this.database, ids, carrierId, lane)),
      this.fail(unroutable),
    ]);
    return isOn;
  }

  private async enqueue(
    carrierId: number,
    jobs: Readonly<Record<JobPriority, string[]>>,
    room: QueueRoom,
  ): Promise<void> {
    const idsPerJob = room.idsPerJob(carrierId);
    try {
      await this.queues.enqueue(this.pool.nameOf(carrierId), [
        { priority: 'interactive', ids: jobs.interactive, idsPerJob },
        { priority: 'bulk', ids: jobs.bulk, idsPerJob },
      ]);
      this.metrics.fed.inc(jobs.interactive.length + jobs.bulk.length);
    } catch (fault) {
      await putInBacklog(this.database, jobs.interactive, NOT_ROUTED, 'single');
      await putInBacklog(this.database, jobs.bulk, NOT_ROUTED, 'batch');
      throw fault;
    }
  }

  /** By the routes as the database has them: a route that this worker has not heard of yet fails no message. */
  private async fail(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const moves = await failUnroutable(this.database, ids, this.config.IN_DOUBT_WAIT_SECONDS);
    for (const { state } of moves) this.metrics.moves.inc({ state });
    if (moves.length === ids.length) return;
    const ended = new Set(moves.map(({ id }) => id));
    await this.pool.refresh();
    await putInBacklog(
      this.database,
      ids.filter((id) => !ended.has(id)),
      NOT_ROUTED,
      'single',
    );
  }

  /** Keeps a share for bulk: where interactive jobs wait at two looks and no bulk job has begun between, some go first. */
  private async shareWithBulk(): Promise<void> {
    for (const { stored, readiness, paceOfAll } of this.pool.all()) {
      if (readiness !== 'up') continue;
      const { interactive, bulk } = await this.queues.depthOf(stored.name);
      const before = this.bulkBefore.get(stored.name) ?? 0;
      this.bulkBefore.set(stored.name, bulk);
      if (interactive === 0 || bulk === 0 || bulk < before) continue;
      const perLook = (paceOfAll * LOOK_EVERY_MS) / 1_000;
      await this.queues.promoteBulk(stored.name, Math.max(1, Math.round((perLook * PROMOTED_SHARE) / 10)));
    }
  }
}
