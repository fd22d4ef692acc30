import { setTimeout as delay, setImmediate as turnEnd } from 'node:timers/promises';
import { Overloaded } from './overloaded.js';

/** What a flush answers for an item whose key it could not serve now, and of which it has written nothing. */
export const SET_ASIDE = Symbol('set aside');

export interface CoalescerLimits<Item> {
  /** Items that one flush may take. */
  readonly itemsMax: number;
  /** The greatest total weight of one flush; a heavier single item goes alone. */
  readonly weightMax?: number;
  readonly weigh?: (item: Item) => number;
  /** An item that weighs more is flushed without items of other keys, so that they do not wait for it. */
  readonly sharedWeightMax?: number;
  /** Flushes in flight at once for keys that were set aside, one key in each. Default: without a bound. */
  readonly asideMax?: number;
  /** Keys wait for no other key: each has flushes of its own, one at a time. Default: keys share flushes. */
  readonly keysApart?: boolean;
  /** Items of a key that may wait; the next one is refused at once. */
  readonly pendingMax?: number;
  /** How long an item may wait to be taken into a flush; after that it is refused. */
  readonly waitMaxMs?: number;
  /** Whether an error is the fault of one item, so that the flush is tried again in halves. Default: never. */
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
  /**
   * The next flush starts before the callers have the results of the last one. What they do with these takes as long as
   * a flush, and both go on side by side. Default: the next flush takes what the callers add meanwhile.
   */
  readonly startsBeforeTelling?: boolean;
}

/** Of the time that a flush took, from its start to that of the next one: flushes take a third of the time at most. */
const GATHER_FACTOR = 3;
const EXPIRE_EVERY_MS = 100;
const DRAIN_LOOK_MS = 10;

/** Which flush takes the items of a key: one for many keys, or one of its own. */
type Kind = 'shared' | 'heavy' | 'aside';

interface Pending<Item, Result, Key> {
  readonly item: Item;
  readonly line: Line<Item, Result, Key>;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly arrivedMs: number;
}

/** The items of one key, in the order of their arrival. */
interface Line<Item, Result, Key> {
  readonly key: Key;
  readonly waiting: Pending<Item, Result, Key>[];
  /** What the flush in flight has set aside. */
  readonly aside: Pending<Item, Result, Key>[];
  isInFlight: boolean;
  isSetAside: boolean;
}

/**
 * Gathers items that arrive together into one write (group commit): while a flush is in flight, the next one gathers.
 * An item that comes to an idle coalescer waits for nothing.
 *
 * Items may have keys, such as accounts. The items of a key take effect in the order of their arrival, because a key is
 * in one flush at a time. Keys take turns, so that a key with many items delays the others by no more than the flush
 * that is in flight. A key that a flush sets aside is flushed by itself until it has been served.
 *
 * If a flush fails because of one bad item, it is repeated in halves, so that only this item fails. So a flush must be
 * atomic: when it throws such an error, nothing of it may have taken effect.
 */
export class Coalescer<Item, Result, Key extends string | number = string> {
  /** Those with items or a flush, in the order of their turns. */
  private readonly lines = new Map<Key, Line<Item, Result, Key>>();
  /** Flushes, by kind. */
  private readonly inFlight: Record<Kind, number> = { shared: 0, heavy: 0, aside: 0 };
  private readonly weigh = this.limits.weigh ?? (() => 0);
  private readonly inFlightMax = { shared: 1, heavy: 2, aside: this.limits.asideMax ?? Number.POSITIVE_INFINITY };
  private isScheduled = false;
  private gathering: NodeJS.Timeout | undefined;
  private isHurried = false;
  private lastStartMs = Number.NEGATIVE_INFINITY;
  private lastTookMs = 0;
  private expiryTimer: NodeJS.Timeout | undefined;

  /** @param flush gets a key too, that of its items if keys are apart */
  constructor(
    private readonly flush: (items: Item[], key: Key) => Promise<readonly (Result | typeof SET_ASIDE)[]>,
    private readonly limits: CoalescerLimits<Item>,
  ) {}

  /** Items that wait for a flush. */
  get pending(): number {
    let count = 0;
    for (const { waiting } of this.lines.values()) count += waiting.length;
    return count;
  }

  get isIdle(): boolean {
    return this.lines.size === 0;
  }

  /**
   * Resolves with the item's own result once it is durable.
   *
   * @throws Overloaded when too many items of the key wait, or this one has waited too long
   */
  add(item: Item, key = '' as Key): Promise<Result> {
    const line = this.lines.get(key) ?? this.newLine(key);
    if (line.waiting.length >= (this.limits.pendingMax ?? Number.POSITIVE_INFINITY)) {
      return Promise.reject(new Overloaded(1));
    }
    return new Promise((resolve, reject) => {
      line.waiting.push({ item, line, resolve, reject, arrivedMs: performance.now() });
      if (this.kindNow(line) !== undefined) this.schedule();
    });
  }

  /** What waits now is flushed without the time to gather. */
  hurry(): void {
    this.isHurried = true;
    if (this.gathering === undefined) return;
    clearTimeout(this.gathering);
    this.gathering = undefined;
    setImmediate(this.startScheduled);
  }

  /** Resolves when nothing waits and nothing is in flight, after the last caller was told its result. */
  async drain(): Promise<void> {
    while (!this.isIdle) await delay(DRAIN_LOOK_MS);
    // Results may be told later in this turn of the event loop.
    await turnEnd();
  }

  private newLine(key: Key): Line<Item, Result, Key> {
    const line: Line<Item, Result, Key> = { key, waiting: [], aside: [], isInFlight: false, isSetAside: false };
    this.lines.set(key, line);
    if (this.limits.waitMaxMs !== undefined) this.expireLater();
    return line;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    const { itemsMax, gatherMs = 0, gatherMaxMs = gatherMs } = this.limits;
    const restMs =
      this.lastStartMs + Math.max(gatherMs, Math.min(GATHER_FACTOR * this.lastTookMs, gatherMaxMs)) - performance.now();
    // Not before the end of the current turn of the event loop, so that everything that was read in it is included.
    const hasTime = restMs > 0 && this.pending < itemsMax && !this.isHurried;
    if (hasTime) this.gathering = setTimeout(this.startScheduled, restMs);
    else setImmediate(this.startScheduled);
  }

  private readonly startScheduled = (): void => {
    this.isScheduled = false;
    this.isHurried = false;
    this.gathering = undefined;
    this.start();
  };

  private start(): void {
    for (const line of this.lines.values()) {
      const kind = this.kindNow(line);
      if (kind === undefined) continue;
      const lines = kind === 'shared' ? [...this.lines.values()].filter((one) => this.kindNow(one) === kind) : [line];
      void this.flushBatch(kind, this.takeBatch(kind, lines));
    }
  }

  /** From these lines in their turns; none takes more than its share. */
  private takeBatch(kind: Kind, lines: readonly Line<Item, Result, Key>[]): Pending<Item, Result, Key>[] {
    const { itemsMax, weightMax = Number.POSITIVE_INFINITY } = this.limits;
    const share = Math.max(1, Math.floor(itemsMax / lines.length));
    const batch: Pending<Item, Result, Key>[] = [];
    let weight = 0;
    for (const line of lines) {
      const countMax = Math.min(share, itemsMax - batch.length);
      let count = 0;
      for (const { item } of line.waiting) {
        const weightAfter = weight + this.weigh(item);
        const fits = batch.length + count === 0 || weightAfter <= weightMax;
        if (count === countMax || !fits || (kind === 'shared' && this.isHeavy(item))) break;
        weight = weightAfter;
        count += 1;
      }
      // The first of the next flush.
      if (count === 0) break;
      batch.push(...line.waiting.splice(0, count));
      line.isInFlight = true;
    }
    return batch;
  }

  /** The flush that can take the items of a line now; undefined: one in flight ends before. */
  private kindNow({ isInFlight, isSetAside, waiting: [first] }: Line<Item, Result, Key>): Kind | undefined {
    if (isInFlight || first === undefined) return undefined;
    const kind = isSetAside || this.limits.keysApart ? 'aside' : this.isHeavy(first.item) ? 'heavy' : 'shared';
    return this.inFlight[kind] < this.inFlightMax[kind] ? kind : undefined;
  }

  private isHeavy(item: Item): boolean {
    return this.weigh(item) > (this.limits.sharedWeightMax ?? Number.POSITIVE_INFINITY);
  }

  private async flushBatch(kind: Kind, batch: readonly Pending<Item, Result, Key>[]): Promise<void> {
    const startMs = performance.now();
    this.inFlight[kind] += 1;
    this.lastStartMs = startMs;
    await this.settle(batch);
    this.lastTookMs = performance.now() - startMs;
    this.inFlight[kind] -= 1;
    for (const { line } of batch) if (line.isInFlight) this.land(line);
    if (this.limits.startsBeforeTelling) this.start();
    else if (this.pending > 0) this.schedule();
  }

  /** The flush of this line is over: it gets another turn if it has items, else it is forgotten. */
  private land(line: Line<Item, Result, Key>): void {
    const aside = line.aside.splice(0);
    line.isInFlight = false;
    line.isSetAside = aside.length > 0;
    line.waiting.unshift(...aside);
    if (line.isSetAside) this.refuseOverdue(line);
    this.lines.delete(line.key);
    if (line.waiting.length > 0) this.lines.set(line.key, line);
  }

  private async settle(wanted: readonly Pending<Item, Result, Key>[]): Promise<void> {
    const batch: Pending<Item, Result, Key>[] = [];
    // What the first half has set aside is not overtaken by the second one.
    for (const pending of wanted) (pending.line.aside.length > 0 ? pending.line.aside : batch).push(pending);
    const [first] = batch;
    if (first === undefined) return;
    const items = batch.map(({ item }) => item);
    try {
      const results = await this.flush(items, first.line.key);
      if (results.length !== batch.length) throw new Error(`a flush of ${batch.length} gave ${results.length} results`);
      for (const pending of batch.filter((_, index) => results[index] === SET_ASIDE)) pending.line.aside.push(pending);
      const tell = () => {
        for (const [index, result] of results.entries()) if (result !== SET_ASIDE) batch[index]?.resolve(result);
      };
      // Later in this turn of the event loop.
      if (this.limits.startsBeforeTelling) setImmediate(tell);
      else tell();
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

  private expireLater(): void {
    this.expiryTimer ??= setTimeout(() => {
      this.expiryTimer = undefined;
      for (const line of this.lines.values()) {
        this.refuseOverdue(line);
        if (!line.isInFlight && line.waiting.length === 0) this.lines.delete(line.key);
      }
      if (!this.isIdle) this.expireLater();
    }, EXPIRE_EVERY_MS).unref();
  }

  private refuseOverdue({ waiting }: Line<Item, Result, Key>): void {
    const deadlineMs = performance.now() - (this.limits.waitMaxMs ?? Number.POSITIVE_INFINITY);
    const firstInTime = waiting.findIndex(({ arrivedMs }) => arrivedMs > deadlineMs);
    const late = waiting.splice(0, firstInTime === -1 ? waiting.length : firstInTime);
    for (const { reject } of late) reject(new Overloaded(1));
  }
}
