import type { DispatchQueues } from '#queue';
import type { QueueRoom } from './queue-room.js';

/** If interactive jobs never end, so many bulk jobs go first for each segment that a carrier takes. */
const PROMOTED_PER_SEGMENT = 0.025;

/** The share that bulk jobs keep of queues on which interactive jobs never end. */
export class BulkShare {
  /** Bulk jobs on each carrier's queue at the last look. */
  private readonly before = new Map<number, number>();

  /** @param lookEveryMs the time between two looks */
  constructor(
    private readonly queues: DispatchQueues,
    private readonly lookEveryMs: number,
  ) {}

  /** If interactive jobs wait at two looks, and no bulk job has begun in between, some bulk jobs go first. */
  async look({ carriers }: QueueRoom): Promise<void> {
    for (const { carrier, depth } of carriers) {
      const before = this.before.get(carrier.id) ?? 0;
      this.before.set(carrier.id, depth.bulk);
      if (carrier.readiness !== 'up' || depth.interactive === 0 || depth.bulk === 0 || depth.bulk < before) continue;
      const perLook = (carrier.paceOfAll * this.lookEveryMs) / 1_000;
      const jobs = Math.max(1, Math.round(perLook * PROMOTED_PER_SEGMENT));
      await this.queues.promoteBulk(carrier.stored.name, jobs);
    }
  }
}
