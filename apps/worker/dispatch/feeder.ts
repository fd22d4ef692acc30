import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '#config';
import {
  type BacklogLane,
  Database,
  type FedOrder,
  failUnroutable,
  NOT_ROUTED,
  putInBacklog,
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
import { FILLED_FROM, QueueRoom, worthALook } from './queue-room.js';

/** How often a feeder looks for backlogs by itself; a job on its queue or room on a carrier's queue wakes it sooner. */
const LOOK_EVERY_MS = 500;
/** Segments of an account's turn at least, so that a busy feeder need not ask for every few messages. */
const QUANTUM_MIN = 5;
const QUANTUM_MAX = 500;
/** Orders that are routed ahead, so that orders for a full carrier do not delay those that another one could take. */
const ROUTED_AHEAD = 1_000;
/** Between two looks for another carrier, if the first one found none. */
const LEAVE_AGAIN_MS = 3_000;
/** However little accounts give, the feeder looks again only when this part of what is worth a look has gone out. */
const GIVEN_PART_MIN = 0.1;
/** If interactive jobs never end, so many bulk jobs go first for each segment that a carrier takes. */
const PROMOTED_PER_SEGMENT = 0.025;

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
  /** All queues are to be filled. */
  private isWanted = false;
  /** These queues are to be filled. */
  private readonly wanted = new Set<PooledCarrier>();
  private isStarted = false;
  /** Whether bulk jobs are to get their share of each queue at the next feeding. */
  private isShareDue = false;
  /** Where accounts waited when this feeder last looked at all queues. */
  private scopes: readonly WaitingScope[] = [];
  /** Segments that this worker's jobs have taken off each carrier's queue since the last look at its room. */
  private readonly gone = new Map<number, number>();
  /** Orders that this feeder put on each carrier's queue when that had room last. */
  private readonly fed = new Map<number, number>();
  /** By scope, until when it makes no sense to look for another carrier. */
  private readonly leaveAgainMs = new Map<number, number>();
  /** Bulk jobs on each carrier's queue at the last look. */
  private readonly bulkBefore = new Map<number, number>();

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
    this.isWanted = true;
    this.startFeeding();
  }

  /** Orders with so many segments have left the queue of a carrier. */
  roomMade(carrier: PooledCarrier, segments: number): void {
    if (this.scopes.length === 0) return;
    const gone = (this.gone.get(carrier.id) ?? 0) + segments;
    this.gone.set(carrier.id, gone);
    // Accounts at their caps gave less than there was room for: they may give more when that has gone out.
    const part = worthALook(carrier);
    const given = Math.max(part * GIVEN_PART_MIN, this.fed.get(carrier.id) ?? part);
    if (gone >= Math.min(part, given)) this.emptied(carrier);
  }

  /** A carrier's queue is empty, or nearly so. */
  emptied(carrier: PooledCarrier): void {
    if (this.scopes.length === 0) return;
    this.wanted.add(carrier);
    this.startFeeding();
  }

  private async look(): Promise<undefined> {
    this.isShareDue = true;
    this.wake();
  }

  private startFeeding(): void {
    if (!this.isStarted || !(this.isWanted || this.wanted.size > 0)) return;
    this.feeding ??= this.feed()
      // Orders that were taken and are on no queue are due soon.
      .catch((fault: unknown) => this.faults.notDispatched(fault))
      .finally(() => {
        this.feeding = undefined;
        this.startFeeding();
      });
  }

  private async feed(): Promise<void> {
    const { isWanted } = this;
    const carriers = [...this.wanted];
    this.isWanted = false;
    this.wanted.clear();
    if (isWanted) {
      if (await this.fillAll()) this.isWanted = true;
    } else if (await this.fillSome(carriers)) {
      for (const carrier of carriers) this.wanted.add(carrier);
    }
  }

  /** Feeds every scope once; returns whether it is worth while to do it again. */
  private async fillAll(): Promise<boolean> {
    this.scopes = await waitingScopes(this.database);
    const hasMore = this.scopes.length > 0;
    if (!hasMore && !this.isShareDue) return false;
    this.gone.clear();
    // While nothing waits, only jobs that this worker has may concern those that wait on the same queue.
    const carriers = hasMore ? this.pool.all() : this.pool.all().filter(({ jobs }) => jobs > 0);
    const room = await QueueRoom.read(this.pool, this.queues, carriers, 0);
    if (this.isShareDue) await this.shareWithBulk(room);
    return this.feedScopes(this.scopes, room);
  }

  /** The same for some carriers, from the scopes that waited at the last look; without routes, for all carriers. */
  private async fillSome(wanted: readonly PooledCarrier[]): Promise<boolean> {
    const { isEmpty } = this.pool.routes;
    const carriers = isEmpty ? this.pool.all() : wanted;
    for (const { id } of carriers) this.gone.delete(id);
    const room = await QueueRoom.read(this.pool, this.queues, carriers, FILLED_FROM);
    const scopes = this.scopes.filter(({ carrierId }) => (carrierId === NOT_ROUTED ? isEmpty : room.of(carrierId) > 0));
    return this.feedScopes(scopes, room);
  }

  private async feedScopes(scopes: readonly WaitingScope[], room: QueueRoom): Promise<boolean> {
    let isFed = false;
    for (const { carrier } of room.carriers) if (room.of(carrier.id) > 0) this.fed.set(carrier.id, 0);
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
      if (orders.length === 0 || !(await this.moveOn(carrierId, orders, room))) continue;
      if (this.segmentsFor(carrierId, room) > 0) isFed = true;
    }
    return isFed;
  }

  /** How many segments may leave a backlog now. */
  private segmentsFor(scope: number, room: QueueRoom): number {
    if (scope === NOT_ROUTED) return this.pool.routes.isEmpty ? room.total : ROUTED_AHEAD;
    const own = room.of(scope);
    if (own > 0 || this.pool.find(scope)?.isToBeLeft === false) return own;
    return performance.now() >= (this.leaveAgainMs.get(scope) ?? 0) ? ROUTED_AHEAD : 0;
  }

  /**
   * Puts orders on their carriers' queues while there is room, and the others into the backlog of their carrier;
   * returns whether any order has moved.
   */
  private async moveOn(scope: number, orders: readonly FedOrder[], room: QueueRoom): Promise<boolean> {
    const unroutable: string[] = [];
    const queued = new Map<string, Group>();
    const waiting = new Map<string, Group>();
    for (const order of orders) {
      const choice = room.choose(order);
      if (choice === 'unroutable') {
        unroutable.push(order.id);
      } else if (choice !== undefined && room.use(choice.carrierId, order.segments)) {
        addTo(queued, choice.carrierId, order);
        if (choice.isFailover) this.metrics.failovers.inc({ carrier: this.pool.nameOf(choice.carrierId) });
      } else {
        addTo(waiting, this.pool.routes.isEmpty ? NOT_ROUTED : (choice?.carrierId ?? scope), order);
      }
    }
    const hasLeft = [...waiting.values()].some(({ carrierId }) => carrierId !== scope);
    const isOn = queued.size > 0 || hasLeft || unroutable.length > 0;
    if (!isOn) this.leaveAgainMs.set(scope, performance.now() + LEAVE_AGAIN_MS);
    await Promise.all([
      ...[...queued.values()].map((group) => this.enqueue(group, room.idsPerJob(group.carrierId))),
      ...[...waiting.values()].map(({ carrierId, lane, ids }) => putInBacklog(this.database, ids, carrierId, lane)),
      this.fail(unroutable),
    ]);
    return isOn;
  }

  private async enqueue({ carrierId, lane, ids }: Group, idsPerJob: number): Promise<void> {
    try {
      await this.queues.enqueue(this.pool.nameOf(carrierId), lane, ids, idsPerJob);
      this.fed.set(carrierId, (this.fed.get(carrierId) ?? 0) + ids.length);
      this.metrics.fed.inc(ids.length);
    } catch (fault) {
      await putInBacklog(this.database, ids, NOT_ROUTED, lane);
      throw fault;
    }
  }

  /** Fails them by the routes in the database: no message fails because this worker has not read a new route yet. */
  private async fail(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const moves = await failUnroutable(this.database, ids, this.config.IN_DOUBT_WAIT_SECONDS);
    for (const { state } of moves) this.metrics.moves.inc({ state });
    if (moves.length === ids.length) return;
    const ended = new Set(moves.map(({ id }) => id));
    await this.connections.refresh();
    const others = ids.filter((id) => !ended.has(id));
    await putInBacklog(this.database, others, NOT_ROUTED, 'interactive');
  }

  /**
   * Keeps a share for bulk. If interactive jobs wait at two looks, and no bulk job has begun in between, some bulk jobs
   * go first.
   */
  private async shareWithBulk(room: QueueRoom): Promise<void> {
    this.isShareDue = false;
    for (const { carrier, depth } of room.carriers) {
      const before = this.bulkBefore.get(carrier.id) ?? 0;
      this.bulkBefore.set(carrier.id, depth.bulk);
      if (carrier.readiness !== 'up' || depth.interactive === 0 || depth.bulk === 0 || depth.bulk < before) continue;
      const perLook = (carrier.paceOfAll * LOOK_EVERY_MS) / 1_000;
      const jobs = Math.max(1, Math.round(perLook * PROMOTED_PER_SEGMENT));
      await this.queues.promoteBulk(carrier.stored.name, jobs);
    }
  }
}

function addTo(groups: Map<string, Group>, carrierId: number, { id, lane }: FedOrder): void {
  const key = `${carrierId}/${lane}`;
  const group = groups.get(key) ?? { carrierId, lane, ids: [] };
  groups.set(key, group);
  group.ids.push(id);
}
