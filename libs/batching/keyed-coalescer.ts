import { Coalescer, type CoalescerLimits } from './coalescer.js';

/**
 * A coalescer for each key: items of one key share writes, and items of different keys do not wait for each other. Idle
 * keys are forgotten when a new one comes. With `gatherMs` they are remembered, because the next write of each depends
 * on its last one, so there must be few, such as carriers.
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
      if (this.limits.gatherMs === undefined) this.forgetIdle();
      ofKey = new Coalescer((items) => this.flush(key, items), this.limits);
      this.ofKeys.set(key, ofKey);
    }
    return ofKey.add(item);
  }

  /** Resolves when no item waits and no flush runs. */
  async drain(): Promise<void> {
    await Promise.all([...this.ofKeys.values()].map((ofKey) => ofKey.drain()));
  }

  private forgetIdle(): void {
    for (const [key, ofKey] of this.ofKeys) if (ofKey.isIdle) this.ofKeys.delete(key);
  }
}
