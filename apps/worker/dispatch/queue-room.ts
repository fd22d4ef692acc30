import { inOrder, steadyRandom, takesMessages } from '#carrier';
import type { FedOrder } from '#persistence';
import { DISPATCH_JOB_IDS_MAX, type DispatchQueues, type QueueDepth } from '#queue';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';

/** A carrier's queue holds at most what goes out in this time. */
const QUEUED_SECONDS = 0.5;
/** The same in windows, for carriers of which no pace is known yet. */
const QUEUED_WINDOWS = 2;
/** A job takes a carrier about so long, so that an interactive job soon finds a free place among the active ones. */
const JOB_SECONDS = 0.01;

interface Room {
  readonly carrier: PooledCarrier;
  readonly depth: QueueDepth;
  readonly idsPerJob: number;
  /** How many segments more the queue should get now. */
  left: number;
}

export interface CarrierChoice {
  readonly carrierId: number;
  /** A carrier of a later rank of the route took the place of the first ones. */
  readonly isFailover: boolean;
}

/** The room on the carriers' queues at one moment. It reads the depths once, and subtracts what is put on a queue. */
export class QueueRoom {
  private constructor(
    private readonly pool: CarrierPool,
    private readonly rooms: ReadonlyMap<number, Room>,
  ) {}

  /**
   * @param partMin a queue of which a smaller part is free counts as full
   * @throws when no queue can be reached. One that cannot, because its node of a Redis Cluster is away, has no room.
   */
  static async read(
    pool: CarrierPool,
    queues: DispatchQueues,
    carriers: readonly PooledCarrier[],
    partMin: number,
  ): Promise<QueueRoom> {
    const looks = await Promise.allSettled(
      carriers.filter(isBound).map(async (carrier): Promise<[number, Room]> => {
        const depth = await queues.depthOf(carrier.stored.name);
        carrier.hasInteractiveWaiting = depth.interactive > 0;
        const idsPerJob = idsPerJobOf(carrier);
        const { stored, paceOfAll } = carrier;
        const queuedMax = Math.max(QUEUED_WINDOWS * stored.windowSize, paceOfAll * QUEUED_SECONDS);
        const room = queuedMax - (depth.interactive + depth.bulk + depth.delayed) * idsPerJob;
        const left = room < queuedMax * partMin ? 0 : room;
        return [carrier.id, { carrier, depth, idsPerJob, left }];
      }),
    );
    const rooms = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed !== undefined && rooms.length === 0) throw failed.reason;
    return new QueueRoom(pool, new Map(rooms));
  }

  /** The carriers whose queues were read. */
  get carriers(): Iterable<Readonly<Room>> {
    return this.rooms.values();
  }

  of(carrierId: number): number {
    return Math.max(0, Math.floor(this.rooms.get(carrierId)?.left ?? 0));
  }

  /** On the queues that real messages may go to. */
  get total(): number {
    return this.pool.ofOperator().reduce((sum, { id }) => sum + this.of(id), 0);
  }

  idsPerJob(carrierId: number): number {
    return this.rooms.get(carrierId)?.idsPerJob ?? 1;
  }

  /** Takes room for an order; false when there is none. */
  use(carrierId: number, segments: number): boolean {
    const room = this.rooms.get(carrierId);
    if (room === undefined || room.left <= 0) return false;
    room.left -= segments;
    return true;
  }

  /**
   * Chooses the carrier that an order goes to, or waits for. A carrier that has segments of it goes on with it, and a
   * test message goes to the sandbox. Otherwise the route with the longest prefix decides: first the carriers that take
   * messages now, then rank and weight. Without routes, any carrier with room may have it.
   *
   * @returns undefined if there is no carrier at all, `unroutable` if there are routes and none is for the destination
   */
  choose({ id, destination, begunBy }: FedOrder): CarrierChoice | 'unroutable' | undefined {
    if (begunBy !== null) return { carrierId: begunBy, isFailover: false };
    const { pool } = this;
    const targets = pool.routes.targetsFor(destination, () => this.openCarriers());
    if (targets === undefined) return 'unroutable';
    const [first] = inOrder(targets, (carrierId) => pool.readinessOf(carrierId), steadyRandom(id));
    if (first === undefined) return undefined;
    const isLater = targets.some(({ rank }) => rank < first.rank);
    return {
      carrierId: first.carrierId,
      isFailover: isLater && takesMessages(pool.readinessOf(first.carrierId)),
    };
  }

  private openCarriers(): [carrierId: number, { room: number }][] {
    const open = this.pool.ofOperator().filter(({ readiness }) => readiness !== 'excluded');
    return open.map(({ id }) => [id, { room: this.of(id) }]);
  }
}

/** Orders in one job, as fast as the carrier is now. */
export function idsPerJobOf({ stored, paceOfAll }: PooledCarrier): number {
  const ids = Math.round(paceOfAll > 0 ? paceOfAll * JOB_SECONDS : stored.windowSize / 4);
  return Math.min(DISPATCH_JOB_IDS_MAX, Math.max(1, ids));
}

/** A carrier that throttles gives slots now and then. */
function isBound({ readiness }: PooledCarrier): boolean {
  return readiness === 'up' || readiness === 'bound-elsewhere' || readiness === 'throttled';
}
