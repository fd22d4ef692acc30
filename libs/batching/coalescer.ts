/** Refused without being tried, because too much waits already. Nothing was written. */
export class Overloaded extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('too much work is waiting');
  }
}

export interface CoalescerLimits<Item> {
  /** Items that one flush may take. */
  readonly itemsMax: number;
  /** What one flush may weigh in sum; a heavier single item goes alone. */
  readonly weightMax?: number;
  readonly weigh?: (item: Item) => number;
  /** Items that may wait; the next one is refused at once. */
  readonly pendingMax?: number;
  /** How long an item may wait to be taken into a flush; after that it is refused. */
  readonly waitMaxMs?: number;
  /** Whether an error is the fault of one item, so that the batch is tried again in halves. Never, unless given. */
  readonly isPoison?: (error: unknown) => boolean;
  /**
   * The least time between the starts of two flushes, where each costs much and nobody waits for a single item. An item that
   * comes after a pause is still flushed at once.
   */
  readonly gatherMs?: number;
  /** Flushes under way at once. With one, items take effect in the order of their arrival. */
  readonly concurrency?: number;
}

interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly arrivedMs: number;
}

/**
 * Gathers what arrives together into one write (group commit): while a flush is under way the next one gathers. An idle
 * caller waits for nothing, and a busy one shares its commit with everybody who came meanwhile.
 *
 * A flush that a poisonous item makes fail is repeated in halves, so that this item fails alone. A flush must therefore
 * be atomic: when it throws such an error, nothing of it may have taken effect.
 */
export class Coalescer<Item, Result> {
  private waiting: Pending<Item, Result>[] = [];
  private inFlight = 0;
  private scheduled = false;
  private lastStartMs = Number.NEGATIVE_INFINITY;
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
    return this.waiting.length === 0 && this.inFlight === 0;
  }

  /**
   * Resolves with the item's own result once it is durable.
   *
   * @throws Overloaded when the bound on waiting items or on their waiting time is passed
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

  /** Resolves when nothing waits and nothing is under way. */
  async drain(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private schedule(): void {
    if (this.limits.waitMaxMs !== undefined && this.expiryTimer === undefined) {
      this.expiryTimer = setInterval(() => this.expire(), 100).unref();
    }
    if (this.scheduled || this.inFlight >= (this.limits.concurrency ?? 1)) return;
    this.scheduled = true;
    const start = () => {
      this.scheduled = false;
      while (this.waiting.length > 0 && this.inFlight < (this.limits.concurrency ?? 1)) void this.flushNext();
    };
    const restMs = this.lastStartMs + (this.limits.gatherMs ?? 0) - performance.now();
    // At the soonest after the current turn of the event loop, so that everything that was read in it goes along.
    if (restMs > 0 && this.waiting.length < this.limits.itemsMax) setTimeout(start, restMs);
    else setImmediate(start);
  }

  private async flushNext(): Promise<void> {
    const batch = this.takeBatch();
    this.lastStartMs = performance.now();
    this.inFlight += 1;
    try {
      await this.settle(batch);
    } finally {
      this.inFlight -= 1;
      if (this.waiting.length > 0) this.schedule();
      else if (this.inFlight === 0) this.becomeIdle();
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
