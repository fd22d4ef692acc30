import type { CarrierSlots } from '../carriers/carrier-pool.js';
import type { DispatchJournal } from './dispatch-journal.js';
import { dispatchOrder } from './dispatch-order.js';
import type { OrdersInHand } from './orders-in-hand.js';

/** Gives a job back to the queue, so that another worker does the rest of it. */
export class HandedBack extends Error {}

/** The work of one job: claims orders for slots, submits them, and tells at the end what went wrong. */
export class DispatchRun {
  private readonly dispatched: Promise<void>[] = [];
  private readonly faults: unknown[] = [];

  constructor(
    private readonly journal: DispatchJournal,
    private readonly inHand: OrdersInHand,
  ) {}

  /** Claims as many orders as there are slots, and dispatches them; does not wait for it. */
  begin(ids: readonly string[], taken: CarrierSlots): void {
    // Caught where it is made: while the job waits for further slots nobody else would.
    const work = this.claimAndDispatch(ids, taken);
    this.dispatched.push(work.catch((fault: unknown) => this.note(fault)));
  }

  note(fault: unknown): void {
    this.faults.push(fault);
  }

  /** @throws the first fault; the orders that it does not concern have been worked on all the same */
  async end(): Promise<void> {
    await Promise.all(this.dispatched);
    if (this.faults.length > 0) throw this.faults[0];
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
