import type { CarrierCosts } from '../carriers/carrier-costs.js';
import type { CarrierSlots } from '../carriers/carrier-pool.js';
import type { AccountsInFlight } from './accounts-in-flight.js';
import type { DispatchJournal } from './dispatch-journal.js';
import { dispatchOrder } from './dispatch-order.js';
import type { Lane } from './fair-slots.js';
import type { OrdersInHand } from './orders-in-hand.js';

/** Gives a job back to the queue, so that another worker does the rest of it. */
export class HandedBack extends Error {}

/** What the runs of one worker share. */
export interface DispatchMeans {
  readonly journal: DispatchJournal;
  readonly costs: Pick<CarrierCosts, 'count'>;
  readonly inHand: OrdersInHand;
  readonly inFlight: AccountsInFlight;
}

/** The work on orders of one account: claims them for slots, submits them, and tells at the end what went wrong. */
export class DispatchRun {
  private readonly claims: Promise<unknown>[] = [];
  private readonly dispatched: Promise<void>[] = [];
  private readonly faults: unknown[] = [];

  constructor(
    private readonly means: DispatchMeans,
    readonly account: string,
    private readonly lane: Lane,
  ) {}

  /** Claims as many orders as there are slots, and dispatches them; does not wait for it. The slots count as in flight already. */
  begin(ids: readonly string[], taken: CarrierSlots): void {
    const claim = this.means.journal.claim(ids, taken.carrierId, taken.format);
    this.claims.push(claim);
    // Caught where it is made: while the job waits for further slots nobody else would.
    const work = this.dispatch(claim, taken);
    this.dispatched.push(work.catch((fault: unknown) => this.note(fault)));
  }

  note(fault: unknown): void {
    this.faults.push(fault);
  }

  /** Resolves when everything begun so far is claimed, or known to be somebody else's. */
  async claimed(): Promise<void> {
    await Promise.all(this.claims);
  }

  /** @throws the first fault; the orders that it does not concern have been worked on all the same */
  async end(): Promise<void> {
    await Promise.all(this.dispatched);
    if (this.faults.length > 0) throw this.faults[0];
  }

  private async dispatch(claim: ReturnType<DispatchJournal['claim']>, taken: CarrierSlots): Promise<void> {
    const { costs, inHand, inFlight, journal } = this.means;
    const unused = [...taken.slots];
    const dispatched: Promise<void>[] = [];
    try {
      for (const order of await claim) {
        const slot = unused.pop();
        if (slot === undefined) throw new Error('more orders than slots were claimed');
        const onTaken = (segments: number) => costs.count(taken.carrierId, order.destination, segments);
        const work = inHand.hold(
          order,
          this.account,
          this.lane,
          dispatchOrder(order, slot, taken.carrierId, journal, onTaken),
        );
        dispatched.push(work.finally(() => inFlight.end(this.account, 1)));
      }
    } finally {
      for (const slot of unused) slot.release();
      inFlight.end(this.account, unused.length);
    }
    await Promise.all(dispatched);
  }
}
