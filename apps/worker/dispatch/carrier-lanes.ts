import { Coalescer } from '#persistence';
import type { DispatchQueue } from '#queue';

const ITEMS_MAX = 500;

/**
 * The carriers' queues as the router uses them: messages that cannot have a slot at once wait there. Moves that come
 * together share a write, and so jobs.
 */
export class CarrierLanes {
  private readonly moves = new Map<number, Coalescer<readonly string[], undefined>>();
  private readonly jobs = new Map<number, number>();

  constructor(private readonly queue: DispatchQueue) {}

  /** @throws when the queue cannot be reached; the sweeper announces the orders again */
  async wait(carrierId: number, ids: readonly string[]): Promise<void> {
    let moves = this.moves.get(carrierId);
    if (moves === undefined) {
      moves = new Coalescer(
        async (groups) => {
          await this.queue.enqueueFor(carrierId, groups.flat());
          return groups.map(() => undefined);
        },
        { itemsMax: ITEMS_MAX, weightMax: 2 * ITEMS_MAX, weigh: (group) => group.length },
      );
      this.moves.set(carrierId, moves);
    }
    await moves.add(ids);
  }

  /** Whether messages wait for the carrier in this worker already: then new ones get in line behind them. */
  isOccupied(carrierId: number): boolean {
    return (this.jobs.get(carrierId) ?? 0) > 0;
  }

  enter(carrierId: number): void {
    this.jobs.set(carrierId, (this.jobs.get(carrierId) ?? 0) + 1);
  }

  exit(carrierId: number): void {
    this.jobs.set(carrierId, (this.jobs.get(carrierId) ?? 1) - 1);
  }
}
