import { Coalescer } from '#batching';
import type { DispatchQueue, OrderGroup } from '#queue';
import { UNKNOWN_ACCOUNT } from './accounts-in-flight.js';

const ITEMS_MAX = 500;

/**
 * The carriers' queues as the router uses them: single messages that cannot have a slot at once wait there. Moves that come
 * together share a write, and so jobs.
 */
export class CarrierLanes {
  private readonly moves = new Map<number, Coalescer<OrderGroup, undefined>>();

  constructor(private readonly queue: DispatchQueue) {}

  /** @throws when the queue cannot be reached; the sweeper announces the orders again */
  async wait(carrierId: number, account: string, ids: readonly string[]): Promise<void> {
    let moves = this.moves.get(carrierId);
    if (moves === undefined) {
      moves = new Coalescer(
        async (groups) => {
          await this.queue.enqueueFor(carrierId, groups);
          return groups.map(() => undefined);
        },
        { itemsMax: ITEMS_MAX, weightMax: 2 * ITEMS_MAX, weigh: (group) => group.ids.length },
      );
      this.moves.set(carrierId, moves);
    }
    await moves.add({ ids, ...(account !== UNKNOWN_ACCOUNT && { account }) });
  }
}
