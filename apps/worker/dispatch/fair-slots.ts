import type { SubmitSlot } from '#carrier';
import type { CarrierSlots } from '../carriers/carrier-pool.js';
import type { AccountsInFlight } from './accounts-in-flight.js';
import { type Waiting, WaitingLane } from './waiting-lane.js';

/** `interactive`: what came alone and somebody waits for; `bulk`: what came in batches, or was put into a backlog. */
export type Lane = 'interactive' | 'bulk';

/** Where slots come from: one carrier, or any. */
export interface SlotSource {
  take(max: number): CarrierSlots | undefined;
  /** Resolves when there may be some, or after the time. */
  changed(timeoutMs: number): Promise<void>;
}

/** While both lanes wait, so many slots go to interactive ones before one goes to a bulk one. */
const INTERACTIVE_PER_BULK = 3;
const LOOK_EVERY_MS = 1_000;
/** After slots were said at once to be there and were not. */
const FRUITLESS_MS = 5;

interface Pending extends Waiting {
  readonly granted: SubmitSlot[];
  resolve(taken: CarrierSlots | undefined): void;
  carrier: Pick<CarrierSlots, 'carrierId' | 'format'> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Gives out the slots of a carrier (or of any) to the orders that wait for them in this worker: interactive ones before bulk ones, but
 * never all of them; within a lane the accounts take turns, a slot at a time; nobody beyond its account's cap. All that
 * wants slots comes here, so it is decided at the last moment who gets one.
 */
export class FairSlots {
  private readonly lanes = { interactive: new WaitingLane<Pending>(), bulk: new WaitingLane<Pending>() };
  private readonly pending = new Set<Pending>();
  private sinceBulk = 0;
  /** Slots given out so far. */
  private granted = 0;
  private isWatching = false;
  private isClosed = false;
  /** Called after slots were given out, or could be: there may be room for more to wait. */
  onProgress: () => void = () => undefined;

  constructor(
    private readonly source: SlotSource,
    private readonly inFlight: AccountsInFlight,
  ) {
    inFlight.onRoom(() => {
      if (this.pending.size > 0) this.progress();
    });
  }

  /** Slots for up to so many orders, when it is their turn; undefined when there were none within the time. They count as in flight. */
  take(account: string, lane: Lane, orders: number, waitMaxMs: number): Promise<CarrierSlots | undefined> {
    if (this.isClosed || orders <= 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const pending: Pending = { account, left: orders, granted: [], resolve, carrier: undefined, timer: undefined };
      this.pending.add(pending);
      this.lanes[lane].add(pending);
      this.progress();
      if (!this.pending.has(pending)) return;
      pending.timer = setTimeout(() => {
        this.lanes[lane].remove(pending);
        this.settle(pending);
      }, waitMaxMs);
    });
  }

  /** The same at once, and nothing while others wait. */
  takeNow(account: string, orders: number): CarrierSlots | undefined {
    const max = Math.min(orders, this.inFlight.room(account));
    if (this.isClosed || max <= 0 || this.wanted() > 0) return undefined;
    const taken = this.source.take(max);
    if (taken !== undefined) this.inFlight.begin(account, taken.slots.length);
    return taken;
  }

  waitingOrders(lane: Lane): number {
    return this.lanes[lane].waitingOrders;
  }

  waitingEntries(lane: Lane): number {
    return this.lanes[lane].waitingEntries;
  }

  waitingOrdersOf(account: string, lane: Lane): number {
    return this.lanes[lane].ordersOf(account);
  }

  waitingEntriesOf(account: string, lane: Lane): number {
    return this.lanes[lane].entriesOf(account);
  }

  /** Bulk orders that could go as soon as there are slots: their accounts have room. */
  get bulkThatMayGo(): number {
    return this.wantedIn(this.lanes.bulk);
  }

  /** Accounts with bulk orders that wait for room under their cap, not for slots. */
  get bulkAccountsAtCap(): string[] {
    return this.lanes.bulk.accountNames.filter(
      (account) => this.inFlight.room(account) < this.lanes.bulk.ordersOf(account),
    );
  }

  /** Sends everybody away, and gives out nothing any more. */
  close(): void {
    this.isClosed = true;
    for (const pending of [...this.pending]) {
      for (const lane of Object.values(this.lanes)) lane.remove(pending);
      this.settle(pending);
    }
  }

  private progress(): void {
    this.giveOut();
    if (this.wanted() > 0) void this.watch();
  }

  private giveOut(): void {
    const served = new Set<Pending>();
    for (let wanted = this.wanted(); wanted > 0; wanted = this.wanted()) {
      const taken = this.source.take(wanted);
      if (taken === undefined) break;
      const { slots, ...carrier } = taken;
      for (const slot of slots) {
        const next = this.nextInTurn();
        if (next === undefined) {
          slot.release();
          continue;
        }
        this.inFlight.begin(next.account, 1);
        this.granted += 1;
        next.granted.push(slot);
        next.carrier = carrier;
        served.add(next);
      }
      // What is handed over is of one carrier; who wants more asks again.
      for (const pending of served) this.leave(pending);
      served.clear();
    }
    this.onProgress();
  }

  /** Hands over what it has got. */
  private leave(pending: Pending): void {
    for (const lane of Object.values(this.lanes)) lane.remove(pending);
    this.settle(pending);
  }

  private settle(pending: Pending): void {
    if (!this.pending.delete(pending)) return;
    clearTimeout(pending.timer);
    const { carrier, granted } = pending;
    pending.resolve(carrier === undefined ? undefined : { ...carrier, slots: granted });
  }

  private nextInTurn(): Pending | undefined {
    const { interactive, bulk } = this.lanes;
    const mayGo = (account: string) => this.inFlight.room(account) > 0;
    const isBulksTurn = this.sinceBulk >= INTERACTIVE_PER_BULK;
    const first = (isBulksTurn ? bulk : interactive).next(mayGo);
    if (first !== undefined) {
      this.sinceBulk = isBulksTurn ? 0 : Math.min(INTERACTIVE_PER_BULK, this.sinceBulk + 1);
      return first;
    }
    return (isBulksTurn ? interactive : bulk).next(mayGo);
  }

  private wanted(): number {
    return this.wantedIn(this.lanes.interactive) + this.wantedIn(this.lanes.bulk);
  }

  private wantedIn(lane: WaitingLane<Pending>): number {
    if (lane.waitingOrders === 0) return 0;
    return lane.accountNames.reduce(
      (sum, account) => sum + Math.min(lane.ordersOf(account), this.inFlight.room(account)),
      0,
    );
  }

  private async watch(): Promise<void> {
    if (this.isWatching || this.isClosed) return;
    this.isWatching = true;
    try {
      while (!this.isClosed && this.wanted() > 0) {
        const askedMs = performance.now();
        const before = this.granted;
        await this.source.changed(LOOK_EVERY_MS);
        this.giveOut();
        const isFruitless = this.granted === before && performance.now() - askedMs < FRUITLESS_MS;
        if (isFruitless) await new Promise((resolve) => setTimeout(resolve, FRUITLESS_MS));
      }
    } finally {
      this.isWatching = false;
    }
  }
}
