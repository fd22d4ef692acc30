/** Refused without a try, because too many items wait already. Nothing was written. */
export class Overloaded extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('too much work is waiting');
  }
}

export interface CoalescerLimits<Item> {
  /** Items that one flush may take. */
  readonly itemsMax: number;
  /** The greatest total weight of one flush; a heavier single item goes alone. */
  readonly weightMax?: number;
  readonly weigh?: (item: Item) => number;
  /** Items that may wait; the next one is refused at once. */
  readonly pendingMax?: number;
  /** How long an item may wait for a flush; after that it is refused. */
  readonly waitMaxMs?: number;
  /** Whether an error is the fault of one item, so that the batch is tried again in halves. Default: never. */
  readonly isPoison?: (error: unknown) => boolean;
  /**
   * The least time between the starts of two flushes, for expensive flushes that no caller waits for. An item that
   * comes after a pause is still flushed at once.
   */
  readonly gatherMs?: number;
  /**
   * This time grows up to here: it is at least three times what the last flush took. So items wait for a short time
   * while the machine has room, and on a busy one flushes are large. Default: it does not grow.
   */
  readonly gatherMaxMs?: number;
}

/** Of the time that a flush took, from its start to that of the next one: flushes take a third of the time at most. */
const GATHER_FACTOR = 3;

interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly arrivedMs: number;
}

/**
 * Gathers items that arrive together into one write (group commit): while a flush runs, the next one gathers. An item
 * that comes to an idle coalescer waits for nothing; a busy one shares its write among all items that came meanwhile.
 * One flush runs at a time, so items take effect in the order of their arrival.
 *
 * If a flush fails because of one bad item, it is repeated in halves, so that only this item fails. So a flush must be
 * atomic: when it throws such an error, nothing of it may have taken effect.
 */
export class Coalescer<Item, Result> {
  private waiting: Pending<Item, Result>[] = [];
  private isFlushing = false;
  private scheduled = false;
  private lastStartMs = Number.NEGATIVE_INFINITY;
  private lastTookMs = 0;
  private idleWaiters: (() => void)[] = [];
  private expiryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly flush: (items: Item[]) => Promise<readonly Result[]>,
    private readonly limits: CoalescerLimits<Item>,
  ) {}

  /** Items that wait for a flush. */
  get pending(): number {
    return this.waiting.length;
  }

  get isIdle(): boolean {
    return this.waiting.length === 0 && !this.isFlushing;
  }

  /**
   * Resolves with the item's own result after it is durable.
   *
   * @throws Overloaded when too many items wait, or an item has waited too long
   */
  add(item: Item): Promise<Result> {
    if (this.waiting.length >= (this.limits.pendingMax ?? Number.POSITIVE_INFINITY)) {
      return Promise.reject(new Overloaded(1));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject, arrivedMs: performance.now() });
      this.schedule();
    });
  }

  /** Resolves when no item waits and no flush runs. */
  async drain(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private schedule(): void {
    if (this.limits.waitMaxMs !== undefined && this.expiryTimer === undefined) {
      this.expiryTimer = setInterval(() => this.expire(), 100).unref();
    }
    if (this.scheduled || this.isFlushing) return;
    this.scheduled = true;
    const start = () => {
      this.scheduled = false;
      if (this.waiting.length > 0) void this.flushNext();
    };
    const { gatherMs = 0, gatherMaxMs = gatherMs } = this.limits;
    const restMs =
      this.lastStartMs + Math.max(gatherMs, Math.min(GATHER_FACTOR * this.lastTookMs, gatherMaxMs)) - performance.now();
    // Not before the end of the current turn of the event loop, so that everything that was read in it is included.
    if (restMs > 0 && this.waiting.length < this.limits.itemsMax) setTimeout(start, restMs);
    else setImmediate(start);
  }

  private async flushNext(): Promise<void> {
    const batch = this.takeBatch();
    this.lastStartMs = performance.now();
    this.isFlushing = true;
    try {
      await this.settle(batch);
    } finally {
      this.lastTookMs = performance.now() - this.lastStartMs;
      this.isFlushing = false;
      if (this.waiting.length > 0) this.schedule();
      else this.becomeIdle();
    }
  }

  private takeBatch(): Pending<Item, Result>[] {
    const { itemsMax, weigh, weightMax = Number.POSITIVE_INFINITY } = this.limits;
    let count = 0;
    let weight = 0;
    for (const { item } of this.waiting) {
      weight += weigh?.(item) ?? 0;
      if (count >= itemsMax || (count > 0 && weight > weightMax)) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async settle(batch: Pending<Item, Result>[]): Promise<void> {
    try {
      const results = await this.flush(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error(`a flush of ${batch.length} gave ${results.length} results`);
      results.forEach((result, index) => {
        batch[index]?.resolve(result);
      });
    } catch (error) {
      if (batch.length <= 1 || !this.limits.isPoison?.(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = batch.length >> 1;
      await this.settle(batch.slice(0, middle));
      await this.settle(batch.slice(middle));
    }
  }

  private expire(): void {
    const deadlineMs = performance.now() - (this.limits.waitMaxMs ?? Number.POSITIVE_INFINITY);
    const expired = this.waiting.findIndex(({ arrivedMs }) => arrivedMs > deadlineMs);
    const count = expired === -1 ? this.waiting.length : expired;
    for (const { reject } of this.waiting.splice(0, count)) reject(new Overloaded(1));
    if (this.isIdle) this.becomeIdle();
  }

  private becomeIdle(): void {
    clearInterval(this.expiryTimer);
    this.expiryTimer = undefined;
    for (const resolve of this.idleWaiters.splice(0)) resolve();
  }
}

/**
 * A coalescer for each key: items of one key share writes, and items of different keys do not wait for each other. Keys
 * are remembered for ever, so there must be few, such as carriers.
 */
export class KeyedCoalescer<Key, Item, Result> {
  private readonly ofKeys = new Map<Key, Coalescer<Item, Result>>();

  /** @param flush writes items of one key, as that of a `Coalescer` does */
  constructor(
    private readonly flush: (key: Key, items: Item[]) => Promise<readonly Result[]>,
    private readonly limits: CoalescerLimits<Item>,
  ) {}

  /**
   * Resolves with the item's own result after it is durable.
   *
   * @throws Overloaded when too many items of the key wait, or an item has waited too long
   */
  add(key: Key, item: Item): Promise<Result> {
    let ofKey = this.ofKeys.get(key);
    if (ofKey === undefined) {
      ofKey = new Coalescer((items) => this.flush(key, items), this.limits);
      this.ofKeys.set(key, ofKey);
    }
    return ofKey.add(item);
  }

  /** Resolves when no item waits and no flush runs. */
  async drain(): Promise<void> {
    await Promise.all([...this.ofKeys.values()].map((ofKey) => ofKey.drain()));
  }
}
