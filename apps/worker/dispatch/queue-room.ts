import { DISPATCH_JOB_IDS_MAX, type DispatchQueues } from '#queue';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';

/** What waits on a carrier's queue at most: what goes out in this time. */
const QUEUED_SECONDS = 1;
/** The same in windows, for carriers of which no pace is known yet. */
const QUEUED_WINDOWS = 2;
/** A job is about as long as this, so that an interactive one soon finds a place among those that a worker has begun. */
const JOB_SECONDS = 0.02;

interface Room {
  left: number;
  readonly idsPerJob: number;
}

/** How many segments more each carrier's queue should get now. Depths are read once; what is put on a queue is subtracted. */
export class QueueRoom {
  private constructor(private readonly rooms: Map<number, Room>) {}

  /** @throws when the queue cannot be reached: then nothing may be taken out of a backlog */
  static async read(carriers: readonly PooledCarrier[], queues: Pick<DispatchQueues, 'depthOf'>): Promise<QueueRoom> {
    const rooms = await Promise.all(
      carriers.filter(isBound).map(async (carrier): Promise<[number, Room]> => {
        const { windowSize } = carrier.stored;
        const pace = carrier.paceOfAll;
        const idsPerJob = Math.min(
          DISPATCH_JOB_IDS_MAX,
          Math.max(1, Math.round(pace > 1 ? pace * JOB_SECONDS : windowSize / 4)),
        );
        const { interactive, bulk, delayed } = await queues.depthOf(carrier.stored.name);
        const queuedMax = Math.max(QUEUED_WINDOWS * windowSize, carrier.paceOfAll * QUEUED_SECONDS);
        return [carrier.id, { left: queuedMax - (interactive + bulk + delayed) * idsPerJob, idsPerJob }];
      }),
    );
    return new QueueRoom(new Map(rooms));
  }

  of(carrierId: number): number {
    return Math.max(0, Math.floor(this.rooms.get(carrierId)?.left ?? 0));
  }

  get total(): number {
    return [...this.rooms.keys()].reduce((sum, carrierId) => sum + this.of(carrierId), 0);
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
}

/** One that throttles gives slots now and then. */
function isBound({ readiness }: PooledCarrier): boolean {
  return readiness === 'up' || readiness === 'elsewhere' || readiness === 'throttled';
}
