import type { Carrier, SubmitSlot } from '#carrier';

/** Waits for slots of a carrier under test, which calls `tell` when it has some. */
export class FreeSlots {
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly carrier: () => Carrier) {}

  readonly tell = (): void => {
    for (const wake of this.waiting.splice(0)) wake();
  };

  /** Takes one slot. */
  async take(): Promise<SubmitSlot> {
    for (;;) {
      const [slot] = this.carrier().takeSlots(1);
      if (slot !== undefined) return slot;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Resolves when a slot is free, or after the time. */
  async free(timeoutMs: number): Promise<void> {
    const [slot] = this.carrier().takeSlots(1);
    if (slot !== undefined) return slot.release();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
