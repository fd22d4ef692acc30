import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { CarrierLanes } from './carrier-lanes.js';
import type { DispatchJournal } from './dispatch-journal.js';
import { DispatchRun, HandedBack } from './dispatch-run.js';
import type { OrdersInHand } from './orders-in-hand.js';
import type { RouteOrders } from './route-orders.js';

const SLOTS_WAIT_MS = 1_000;

/**
 * USE CASE: works on the orders of a job: takes window slots first and claims as many orders as it has slots, so that
 * what is recorded as submitting is what is about to be written, and no order waits claimed for a full window.
 *
 * Without routes any carrier may take any message, so nobody waits for a slow one: the orders of a job wait here for the
 * first slot of any. With routes each order has its carriers: what gets no slot at once waits on the queue of its carrier.
 */
export class DispatchJobOrders {
  private isStopping = false;

  constructor(
    private readonly carriers: CarrierPool,
    private readonly journal: DispatchJournal,
    private readonly inHand: OrdersInHand,
    private readonly routing: RouteOrders,
    private readonly lanes: CarrierLanes,
  ) {}

  /** @throws the first fault; the orders that it does not concern are worked on all the same */
  async dispatch(ids: readonly string[]): Promise<void> {
    const run = new DispatchRun(this.journal, this.inHand);
    let left = ids;
    while (left.length > 0 && !this.isStopping) {
      if (!this.carriers.routes.isEmpty) {
        await this.routing.send(left, run).catch((fault: unknown) => run.note(fault));
        left = [];
        break;
      }
      left = await this.toAnyCarrier(left, run);
    }
    await run.end();
    if (left.length > 0) throw new HandedBack('the worker stops; another one does the rest of this job');
  }

  /** From now on nothing new is claimed; what is not claimed stays queued for another worker. */
  stop(): void {
    this.isStopping = true;
  }

  /** Hands on as many as there are slots, or waits for some; returns what is left. */
  private async toAnyCarrier(ids: readonly string[], run: DispatchRun): Promise<readonly string[]> {
    const taken = this.carriers.takeSlots(ids.length);
    if (taken !== undefined) {
      run.begin(ids.slice(0, taken.slots.length), taken);
      return ids.slice(taken.slots.length);
    }
    const states = this.carriers.all().map((pooled) => ({ id: pooled.id, readiness: pooled.readiness }));
    const elsewhere = states.find(({ readiness }) => readiness === 'elsewhere');
    if (elsewhere !== undefined && !states.some(({ readiness }) => readiness === 'up')) {
      // This worker holds no bind that could take them, another one does.
      await this.lanes.wait(elsewhere.id, ids);
      return [];
    }
    await this.carriers.slotsChanged(SLOTS_WAIT_MS);
    return ids;
  }
}
