import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '#config';
import {
  type BacklogLane,
  Database,
  type FedOrder,
  failUnroutable,
  NOT_ROUTED,
  putInBacklogAtLast,
  takeFromBacklog,
  type WaitingScope,
  waitingScopes,
} from '#persistence';
import { DispatchQueues } from '#queue';
import { PeriodicWork } from '#timing';
import { CarrierConnections } from '../carriers/carrier-connections.js';
import { CarrierPool } from '../carriers/carrier-pool.js';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import { CONFIG } from '../injected.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { BulkShare } from './bulk-share.js';
import { QueueRoom } from './queue-room.js';

/** How often a feeder looks for backlogs by itself, and gives bulk jobs their share of each queue. */
const LOOK_EVERY_MS = 500;
/**
 * How often it looks while it feeds, and the part of a queue that has gone out by then. A look costs as much as many
 * messages, so queues of which less is free wait.
 */
const FEED_EVERY_MS = 125;
const FILLED_FROM = 0.25;
/** Segments of an account's turn at least, so that a busy feeder need not ask for every few messages. */
const QUANTUM_MIN = 5;
const QUANTUM_MAX = 500;
/** Orders that are routed ahead, so that orders for a full carrier do not delay those that another one could take. */
const ROUTED_AHEAD = 1_000;
/** Between two looks for another carrier, if the first one found none. */
const LEAVE_AGAIN_MS = 3_000;

/** Orders for one carrier. */
interface Group {
  readonly carrierId: number;
  readonly lane: BacklogLane;
  readonly ids: string[];
}

/**
 * USE CASE: moves orders from the backlogs of the accounts to the queues of the carriers, round robin by account, and
 * routes them by routes and carriers as they stand at that moment. It keeps each queue short: half a second of what
 * the carrier takes. Every worker has a feeder; the database gives each feeder other accounts.
 */
@Injectable()
export class Feeder {
  private readonly looks = new PeriodicWork(
    LOOK_EVERY_MS,
    () => this.look(),
    (fault) => this.faults.notDispatched(fault),
  );
  private feeding: Promise<void> | undefined;
  private isStarted = false;
  private isWanted = false;
  /** The next feeding fills also queues of which only a small part is free. */
  private isWoken = false;
  /** When it last looked at all queues. */
  private lookedMs = Number.NEGATIVE_INFINITY;
  /** When it last put orders on a queue. */
  private fedMs = Number.NEGATIVE_INFINITY;
  /** Where accounts waited at the last feeding. */
  private scopes: readonly WaitingScope[] = [];
  /**
   * By scope, until when it makes no sense to look for another carrier: what stands first there found none. From then
   * on it looks anywhere in the backlogs of that scope, until the carrier takes messages again.
   */
  private readonly leaveAgainMs = new Map<number, number>();
  private readonly bulkShare = new BulkShare(this.queues, LOOK_EVERY_MS);

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly pool: CarrierPool,
    private readonly connections: CarrierConnections,
    private readonly queues: DispatchQueues,
    private readonly metrics: WorkerMetrics,
    private readonly faults: RepeatedFaults,
  ) {}

  /** The carriers have been read by now. */
  start(): void {
    this.isStarted = true;
    this.looks.start(0);
  }

  async stop(): Promise<void> {
    this.isStarted = false;
    await this.looks.stop();
    await this.feeding;
  }

  /** Accounts may have backlogs. */
  wake(): void {
    this.isWoken = true;
    this.feedAgain();
  }

  /** A carrier's queue has no waiting job. */
  drained({ id }: PooledCarrier): void {
    if (this.mayFill(id)) this.feedAgain();
  }

  private async look(): Promise<number> {
    this.feedAgain();
    await this.feeding;
    return performance.now() - this.fedMs < LOOK_EVERY_MS ? FEED_EVERY_MS : LOOK_EVERY_MS;
  }

  private feedAgain(): void {
    this.isWanted = true;
    if (this.isStarted) this.feeding ??= this.feedWhileWanted();
  }

  private async feedWhileWanted(): Promise<void> {
    while (this.isWanted && this.isStarted) {
      this.isWanted = false;
      // If it fails: orders that were taken and are neither on a queue nor back are due soon.
      await this.feed().catch((fault: unknown) => this.faults.notDispatched(fault));
    }
    this.feeding = undefined;
  }

  /** Whether accounts wait that the carrier may serve. */
  private mayFill(carrier: number): boolean {
    return this.scopes.some(({ carrierId }) => carrierId === carrier || carrierId === NOT_ROUTED);
  }

  /** Feeds every scope once, and again if it is worth while. */
  private async feed(): Promise<void> {
    const isDue = performance.now() - this.lookedMs >= LOOK_EVERY_MS;
    const fillsAll = isDue || this.isWoken;
    this.isWoken = false;
    this.scopes = await waitingScopes(this.database);
    const hasMore = this.scopes.length > 0;
    if (!hasMore && !isDue) return;
    // While nothing waits, only jobs that this worker has may concern those that wait on the same queue.
    const isRead = ({ id, jobs }: PooledCarrier) => (hasMore ? fillsAll || this.mayFill(id) : jobs > 0);
    const carriers = this.pool.all().filter(isRead);
    const room = await QueueRoom.read(this.pool, this.queues, carriers, fillsAll ? 0 : FILLED_FROM);
    if (isDue) {
      this.lookedMs = performance.now();
      await this.bulkShare.look(room);
    }
    for (const { carrierId, accounts } of this.scopes) {
      if (!this.isStarted) return;
      const segmentsMax = this.segmentsFor(carrierId, room);
      if (segmentsMax <= 0) continue;
      const orders = await takeFromBacklog(this.database, {
        carrierId,
        segmentsMax,
        quantum: Math.min(segmentsMax, QUANTUM_MAX, Math.max(QUANTUM_MIN, Math.floor(segmentsMax / accounts))),
        dueAfterSeconds: this.config.SWEEP_AFTER_SECONDS,
        inFlightMax: this.config.ACCOUNT_IN_FLIGHT_MAX,
        isAnywhere: this.leaveAgainMs.has(carrierId),
      });
      if (orders.length === 0 || !(await this.moveOn(carrierId, orders, room))) continue;
      if (this.segmentsFor(carrierId, room) > 0) this.wake();
    }
  }

  /** How many segments may leave a backlog now. */
  private segmentsFor(scope: number, room: QueueRoom): number {
    if (scope === NOT_ROUTED) return this.pool.routes.isEmpty ? room.total : ROUTED_AHEAD;
    const own = room.of(scope);
    if (own > 0 || this.pool.find(scope)?.isToBeLeft === false) {
      this.leaveAgainMs.delete(scope);
      return own;
    }
    return performance.now() >= (this.leaveAgainMs.get(scope) ?? 0) ? ROUTED_AHEAD : 0;
  }

  /**
   * Puts orders on their carriers' queues while there is room, and the others into the backlog of their carrier;
   * returns whether any order has moved.
   */
  private async moveOn(scope: number, orders: readonly FedOrder[], room: QueueRoom): Promise<boolean> {
    const unroutable: FedOrder[] = [];
    const queued = new Map<string, Group>();
    const waiting = new Map<string, Group>();
    for (const order of orders) {
      const choice = room.choose(order);
      if (choice === 'unroutable') {
        unroutable.push(order);
      } else if (choice !== undefined && room.use(choice.carrierId, order.segments)) {
        addTo(queued, choice.carrierId, order);
        if (choice.isFailover) this.metrics.failovers.inc({ carrier: this.pool.nameOf(choice.carrierId) });
      } else {
        // One that was begun would stand before those that other carriers may take.
        const isForAny = this.pool.routes.isEmpty && order.begunBy === null;
        addTo(waiting, isForAny ? NOT_ROUTED : (choice?.carrierId ?? scope), order);
      }
    }
    const hasLeft = [...waiting.values()].some(({ carrierId }) => carrierId !== scope);
    const hasMoved = queued.size > 0 || hasLeft || unroutable.length > 0;
    if (!hasMoved && scope !== NOT_ROUTED) this.leaveAgainMs.set(scope, performance.now() + LEAVE_AGAIN_MS);
    await Promise.all([
      ...[...queued.values()].map((group) => this.enqueue(group, room.idsPerJob(group.carrierId))),
      ...[...waiting.values()].map((group) => this.putBack(group)),
      this.fail(unroutable),
    ]);
    return hasMoved;
  }

  private async enqueue({ carrierId, lane, ids }: Group, idsPerJob: number): Promise<void> {
    try {
      await this.queues.enqueue(this.pool.nameOf(carrierId), lane, ids, idsPerJob);
      this.fedMs = performance.now();
      this.metrics.fed.inc(ids.length);
    } catch (fault) {
      await this.putBack({ carrierId: NOT_ROUTED, lane, ids });
      throw fault;
    }
  }

  /** Puts orders into their backlogs, in the lane in which they waited before. */
  private putBack(group: Group): Promise<void> {
    return putInBacklogAtLast(this.database, group, this.config.SWEEP_AFTER_SECONDS, () => this.isStarted);
  }

  /** Fails them by the routes in the database: no message fails because this worker has not read a new route yet. */
  private async fail(orders: readonly FedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    const ids = orders.map(({ id }) => id);
    const moves = await failUnroutable(this.database, ids, this.config.IN_DOUBT_WAIT_SECONDS);
    for (const { state } of moves) this.metrics.moves.inc({ state });
    if (moves.length === ids.length) return;
    const ended = new Set(moves.map(({ id }) => id));
    await this.connections.refresh();
    const others = new Map<string, Group>();
    for (const order of orders) if (!ended.has(order.id)) addTo(others, NOT_ROUTED, order);
    await Promise.all([...others.values()].map((group) => this.putBack(group)));
  }
}

function addTo(groups: Map<string, Group>, carrierId: number, { id, lane }: FedOrder): void {
  const key = `${carrierId}/${lane}`;
  const group = groups.get(key) ?? { carrierId, lane, ids: [] };
  groups.set(key, group);
  group.ids.push(id);
}
