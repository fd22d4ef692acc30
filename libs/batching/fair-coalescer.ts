import { Overloaded } from './coalescer.js';

/** What a flush answers for an item whose key it could not serve now, and of which it has written nothing. */
export const SET_ASIDE = Symbol('set aside');

export interface FairCoalescerLimits<Item> {
  /** Items that one flush may take. */
  readonly itemsMax: number;
  /** What one flush may weigh in sum; a heavier single item goes alone. */
  readonly weightMax: number;
  readonly weigh: (item: Item) => number;
  /** An item that weighs more is flushed without items of other keys, so that they do not wait for it. */
  readonly sharedWeightMax: number;
  /** Flushes under way at once that items of many keys share. */
  readonly sharedMax: number;
  /** Flushes under way at once for keys that were set aside, one key in each. */
  readonly asideMax: number;
  /** How long an item may wait to be taken into a flush; after that it is refused. */
  readonly waitMaxMs: number;
  /** What an item is refused with that has waited too long. */
  readonly overdue?: (item: Item) => Error;
  /** Whether an error is the fault of one item, so that the flush is tried again in halves. */
  readonly isPoison: (error: unknown) => boolean;
}

/** Heavy flushes under way at once. */
const HEAVY_MAX = 2;
const EXPIRE_EVERY_MS = 100;

/** Which flush takes the items of a key: one for many keys, or one of its own. */
const KINDS = ['shared', 'heavy', 'aside'] as const;
type Kind = (typeof KINDS)[number];

interface Pending<Item, Result> {
  readonly item: Item;
  readonly line: Line<Item, Result>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly arrivedMs: number;
}

/** The items of one key, in the order of their arrival. */
interface Line<Item, Result> {
  readonly key: string;
  readonly waiting: Pending<Item, Result>[];
  isInFlight: boolean;
  isSetAside: boolean;
}

/**
 * Gathers items of many keys into common writes (group commit): while a flush is under way the next one gathers.
 *
 * The items of a key take effect in the order of their arrival, because a key is in one flush at a time. Keys take
 * turns, so that a key with many items delays the others by no more than the flush that is under way. A key that a
 * flush sets aside is flushed by itself until it has been served. A flush must be atomic: if a poisonous item makes it
 * fail, it is repeated in halves, so that this item fails alone.
 */
export class FairCoalescer<Item, Result> {
  private readonly lines = new Map<string, Line<Item, Result>>();
  /** Lines with items and without a flush, in the order of their turns. */
  private readonly ready = new Set<Line<Item, Result>>();
  private readonly inFlight: Record<Kind, number> = { shared: 0, heavy: 0, aside: 0 };
  private readonly inFlightMax: Readonly<Record<Kind, number>>;
  private isScheduled = false;
  /** Each gives an item its result. */
  private untold: (() => void)[] = [];
  private idleWaiters: (() => void)[] = [];
  private expiryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly flush: (items: Item[]) => Promise<readonly (Result | typeof SET_ASIDE)[]>,
    private readonly limits: FairCoalescerLimits<Item>,
  ) {
    this.inFlightMax = { shared: limits.sharedMax, heavy: HEAVY_MAX, aside: limits.asideMax };
  }

  get isIdle(): boolean {
    return this.lines.size === 0 && this.untold.length === 0;
  }

  /**
   * Resolves with the item's own result once it is durable.
   *
   * @throws Overloaded, or what `overdue` makes, when the bound on its waiting time is passed
   */
  add(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const line = this.lineOf(key);
      line.waiting.push({ item, line, resolve, reject, arrivedMs: performance.now() });
      if (!line.isInFlight) this.ready.add(line);
      this.schedule();
    });
  }

  /** Resolves when nothing waits and nothing is under way. */
  async drain(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  private lineOf(key: string): Line<Item, Result> {
    const known = this.lines.get(key);
    if (known !== undefined) return known;
    const line: Line<Item, Result> = { key, waiting: [], isInFlight: false, isSetAside: false };
    this.lines.set(key, line);
    this.expiryTimer ??= setInterval(() => this.expire(), EXPIRE_EVERY_MS).unref();
    return line;
  }

  /** After the current turn of the event loop, so that everything that was read in it goes along. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.start();
    });
  }

  private start(): void {
    for (const kind of KINDS) {
      while (this.inFlight[kind] < this.inFlightMax[kind]) {
        const batch = this.takeBatch(kind);
        if (batch.length === 0) break;
        void this.flushBatch(kind, batch);
      }
    }
  }

  /** From the lines of this kind in their turns; none takes more than its share while others wait. */
  private takeBatch(kind: Kind): Pending<Item, Result>[] {
    const { itemsMax } = this.limits;
    const share = kind === 'shared' ? Math.max(1, Math.floor(itemsMax / this.ready.size)) : itemsMax;
    const batch: Pending<Item, Result>[] = [];
    let weight = 0;
    for (const line of this.ready) {
      if (this.kindOf(line) !== kind) continue;
      const countMax = Math.min(share, itemsMax - batch.length);
      let count = 0;
      for (const { item } of line.waiting) {
        const weightAfter = weight + this.limits.weigh(item);
        const fits = batch.length + count === 0 || weightAfter <= this.limits.weightMax;
        if (count === countMax || !fits || (kind === 'shared' && this.isHeavy(item))) break;
        weight = weightAfter;
        count += 1;
      }
      // The first of the next flush.
      if (count === 0) break;
      batch.push(...line.waiting.splice(0, count));
      line.isInFlight = true;
      this.ready.delete(line);
      if (kind !== 'shared') break;
    }
    return batch;
  }

  private kindOf({ isSetAside, waiting: [first] }: Line<Item, Result>): Kind {
    if (isSetAside) return 'aside';
    return first !== undefined && this.isHeavy(first.item) ? 'heavy' : 'shared';
  }

  private isHeavy(item: Item): boolean {
    return this.limits.weigh(item) > this.limits.sharedWeightMax;
  }

  private async flushBatch(kind: Kind, batch: Pending<Item, Result>[]): Promise<void> {
    this.inFlight[kind] += 1;
    const aside = new Map<Line<Item, Result>, Pending<Item, Result>[]>();
    await this.settle(batch, aside);
    this.inFlight[kind] -= 1;
    for (const line of new Set(batch.map((pending) => pending.line))) {
      const again = aside.get(line);
      line.isInFlight = false;
      line.isSetAside = again !== undefined;
      if (again !== undefined) {
        line.waiting.unshift(...again);
        this.refuseOverdue(line);
      }
      if (line.waiting.length > 0) this.ready.add(line);
      else this.lines.delete(line.key);
    }
    this.start();
    this.noticeIdle();
  }

  /**
   * Later in this turn of the event loop. What callers do with their results takes as long as a flush, so the next
   * flush starts before it, and both go on side by side.
   */
  private tell(result: () => void): void {
    if (this.untold.push(result) > 1) return;
    setImmediate(() => {
      for (const giveResult of this.untold.splice(0)) giveResult();
      this.noticeIdle();
    });
  }

  private async settle(
    wanted: readonly Pending<Item, Result>[],
    aside: Map<Line<Item, Result>, Pending<Item, Result>[]>,
  ): Promise<void> {
    // What the first half has set aside is not overtaken by the second one.
    const batch = wanted.filter((pending) => !aside.has(pending.line));
    for (const pending of wanted) aside.get(pending.line)?.push(pending);
    if (batch.length === 0) return;
    try {
      const results = await this.flush(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error(`a flush of ${batch.length} gave ${results.length} results`);
      for (const [index, pending] of batch.entries()) {
        const result = results[index] as Result | typeof SET_ASIDE;
        if (result !== SET_ASIDE) this.tell(() => pending.resolve(result));
        else if (aside.has(pending.line)) aside.get(pending.line)?.push(pending);
        else aside.set(pending.line, [pending]);
      }
    } catch (error) {
      if (batch.length <= 1 || !this.limits.isPoison(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = batch.length >> 1;
      await this.settle(batch.slice(0, middle), aside);
      await this.settle(batch.slice(middle), aside);
    }
  }

  private expire(): void {
    for (const line of this.lines.values()) {
      this.refuseOverdue(line);
      if (line.waiting.length > 0) continue;
      this.ready.delete(line);
      if (!line.isInFlight) this.lines.delete(line.key);
    }
    this.noticeIdle();
  }

  private refuseOverdue({ waiting }: Line<Item, Result>): void {
    const deadlineMs = performance.now() - this.limits.waitMaxMs;
    const firstInTime = waiting.findIndex(({ arrivedMs }) => arrivedMs > deadlineMs);
    for (const { item, reject } of waiting.splice(0, firstInTime === -1 ? waiting.length : firstInTime)) {
      reject(this.limits.overdue?.(item) ?? new Overloaded(1));
    }
  }

  private noticeIdle(): void {
    if (!this.isIdle) return;
    clearInterval(this.expiryTimer);
    this.expiryTimer = undefined;
    for (const resolve of this.idleWaiters.splice(0)) resolve();
  }
}
