import type { CarrierPool, CarrierSlots } from '../carriers/carrier-pool.js';
import type { DispatchJournal } from './dispatch-journal.js';
import { dispatchOrder } from './dispatch-order.js';
import type { OrdersInHand } from './orders-in-hand.js';

const SLOTS_WAIT_MS = 1_000;

/** Gives a job back to the queue, so that another worker does the rest of it. */
export class WorkerStopping extends Error {
  constructor() {
    super('the worker stops; another one does the rest of this job');
  }
}

/**
 * USE CASE: works on the orders of a job: takes window slots first and claims as many orders as it has slots, so that
 * what is recorded as submitting is what is about to be written, and no order waits claimed for a full window.
 */
export class DispatchJobOrders {
  private isStopping = false;

  constructor(
    private readonly carriers: CarrierPool,
    private readonly journal: DispatchJournal,
    private readonly inHand: OrdersInHand,
  ) {}

  /** @throws the first fault; the orders that it does not concern are worked on all the same */
  async dispatch(ids: readonly string[]): Promise<void> {
    const dispatched: Promise<void>[] = [];
    const faults: unknown[] = [];
    let next = 0;
    while (next < ids.length && !this.isStopping) {
      const taken = this.carriers.takeSlots(ids.length - next);
      if (taken === undefined) {
        await this.carriers.slotsChanged(SLOTS_WAIT_MS);
        continue;
      }
      const wanted = ids.slice(next, next + taken.slots.length);
      next += wanted.length;
      // Caught where it is made: while this loop waits for slots nobody else would.
      const work = this.claimAndDispatch(wanted, taken);
      dispatched.push(work.catch((fault: unknown) => void faults.push(fault)));
    }
    await Promise.all(dispatched);
    if (faults.length > 0) throw faults[0];
    if (next < ids.length) throw new WorkerStopping();
  }

  /** From now on nothing new is claimed; what is not claimed stays queued for another worker. */
  stop(): void {
    this.isStopping = true;
  }

  private async claimAndDispatch(ids: readonly string[], taken: CarrierSlots): Promise<void> {
    const unused = [...taken.slots];
    try {
      const orders = await this.journal.claim(ids, taken.carrierId, taken.unit);
      await Promise.all(
        orders.map((order) => {
          const slot = unused.pop();
          if (slot === undefined) throw new Error('more orders than slots were claimed');
          return this.inHand.hold(order, dispatchOrder(order, slot, taken, this.journal));
        }),
      );
    } finally {
      for (const slot of unused) slot.release();
    }
  }
}
