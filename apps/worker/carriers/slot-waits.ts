import type { PooledCarrier } from './pooled-carrier.js';

/** Callers that wait for a slot of some carriers. */
export class SlotWaits {
  private readonly waiting = new Set<() => void>();

  /** Resolves when slots of the carriers may have become free, when `wake` is called, or after the time. */
  async wait(pooled: readonly PooledCarrier[], timeoutMs: number): Promise<void> {
    const usable = pooled.flatMap(({ isOpen, carrier }) => (isOpen && carrier !== undefined ? [carrier] : []));
    let settle = (): void => undefined;
    const woken = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      settle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.waiting.add(settle);
    await Promise.race([woken, ...usable.map((carrier) => carrier.slotsChanged(timeoutMs))]);
    this.waiting.delete(settle);
    settle();
  }

  wake(): void {
    for (const wake of [...this.waiting]) wake();
  }
}
