import { takesMessages } from '#carrier';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { CarrierLanes } from './carrier-lanes.js';
import type { DispatchJournal } from './dispatch-journal.js';
import { DispatchRun, HandedBack } from './dispatch-run.js';
import type { OrdersInHand } from './orders-in-hand.js';
import type { RouteOrders } from './route-orders.js';

const SLOTS_WAIT_MS = 1_000;
/** How long messages wait for a carrier that is down or throttled before another one of their route gets them. */
const REROUTE_AFTER_MS = 3_000;

/**
 * USE CASE: works on orders that wait for one carrier. When it takes no messages for seconds, those for which another
 * carrier of their route does go there; all others wait: here while there is room, else on the queue.
 */
export class DispatchCarrierOrders {
  private isStopping = false;

  constructor(
    private readonly carriers: CarrierPool,
    private readonly journal: DispatchJournal,
    private readonly inHand: OrdersInHand,
    private readonly routing: RouteOrders,
    private readonly lanes: CarrierLanes,
  ) {}

  async dispatch(carrierId: number, ids: readonly string[]): Promise<void> {
    const run = new DispatchRun(this.journal, this.inHand);
    let left = ids;
    this.lanes.enter(carrierId);
    try {
      while (left.length > 0 && !this.isStopping) {
        const taken = this.carriers.takeSlotsOf(carrierId, left.length);
        if (taken !== undefined) {
          run.begin(left.slice(0, taken.slots.length), taken);
          left = left.slice(taken.slots.length);
          continue;
        }
        const readiness = this.carriers.readinessOf(carrierId);
        if (readiness === 'elsewhere') break;
        if (this.isToBeLeft(carrierId)) {
          left = await this.routing.leave(carrierId, left, run);
          if (left.length === 0) break;
        }
        await this.carriers.slotsChangedOf(carrierId, SLOTS_WAIT_MS);
      }
    } catch (fault) {
      run.note(fault);
    } finally {
      this.lanes.exit(carrierId);
    }
    await run.end();
    if (left.length > 0)
      throw new HandedBack('this worker cannot reach the carrier; another one does the rest of this job');
  }

  stop(): void {
    this.isStopping = true;
  }

  private isToBeLeft(carrierId: number): boolean {
    const readiness = this.carriers.readinessOf(carrierId);
    if (takesMessages(readiness)) return false;
    return readiness === 'paused' || readiness === 'removed' || this.carriers.unusableMs(carrierId) >= REROUTE_AFTER_MS;
  }
}
