import type { OutboundSegment, SubmitOutcome, SubmitSlot } from '../carrier.js';
import { SlotWatchers } from '../slot-watchers.js';
import type { SubmitRate } from '../smpp/submit-rate.js';

/** Between two looks for another slot, should nothing wake the caller. */
const ANOTHER_WAIT_MS = 1_000;

/** Hands out slots for requests, as the window, the rate and the provider's Retry-After allow. */
export class RequestSlots {
  private inUse = 0;
  private pausedUntilMs = 0;
  private isClosed = false;
  private readonly watchers = new SlotWatchers();
  private readonly idleWaiters: (() => void)[] = [];
  private wakeTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly requestsMax: () => number,
    private readonly rate: SubmitRate,
    private readonly now: () => number,
    private readonly submit: (segment: OutboundSegment) => Promise<SubmitOutcome>,
  ) {}

  take(max: number): SubmitSlot[] {
    const count = this.free(max);
    if (count <= 0) return [];
    this.inUse += count;
    this.rate.take(count);
    return Array.from({ length: count }, () => this.slot());
  }

  changed(timeoutMs: number): Promise<void> {
    if (this.free(1) > 0) return Promise.resolve();
    const changed = this.watchers.wait(timeoutMs);
    this.wakeInTime();
    return changed;
  }

  /** Slots may have become free. */
  progress(): void {
    if (this.inUse === 0) for (const idle of this.idleWaiters.splice(0)) idle();
    if (this.watchers.areThere && this.free(1) > 0) this.watchers.wake();
    this.wakeInTime();
  }

  /** The provider asked to be left alone for a while (Retry-After). */
  pause(waitMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.now() + waitMs);
    this.wakeInTime();
  }

  /** Hands out no more slots; a slot that is still out answers `not-sent`. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.wakeTimer);
    this.watchers.wake();
  }

  /** Resolves when no request is in flight, or after the timeout. */
  idle(timeoutMs: number): Promise<void> {
    if (this.inUse === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.idleWaiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private slot(): SubmitSlot {
    let isSpent = false;
    return {
      submit: async (segment) => {
        if (isSpent) return { kind: 'not-sent', code: 'SLOT_SPENT' };
        isSpent = true;
        try {
          return this.isClosed ? { kind: 'not-sent', code: 'CLOSING' } : await this.submit(segment);
        } finally {
          this.inUse -= 1;
          this.progress();
        }
      },
      release: () => {
        if (isSpent) return;
        isSpent = true;
        this.inUse -= 1;
        this.rate.giveBack();
        this.progress();
      },
      another: () => this.next(),
    };
  }

  /** Waits for a slot while there may be one. */
  private async next(): Promise<SubmitSlot | undefined> {
    while (!this.isClosed && this.requestsMax() > 0) {
      const [slot] = this.take(1);
      if (slot !== undefined) return slot;
      await this.changed(ANOTHER_WAIT_MS);
    }
    return undefined;
  }

  private free(max: number): number {
    const nowMs = this.now();
    if (this.isClosed || nowMs < this.pausedUntilMs) return 0;
    const room = Math.min(max, this.requestsMax() - this.inUse);
    return room <= 0 ? 0 : this.rate.available(room, nowMs);
  }

  /** If only time is missing, no other event wakes the waiting callers, so a timer does. */
  private wakeInTime(): void {
    if (this.wakeTimer !== undefined || this.isClosed || !this.watchers.areThere) return;
    if (this.inUse >= this.requestsMax()) return;
    const nowMs = this.now();
    const waitMs = Math.max(1, this.rate.waitMs(nowMs), this.pausedUntilMs - nowMs);
    this.wakeTimer = setTimeout(() => {
      this.wakeTimer = undefined;
      this.progress();
    }, Math.ceil(waitMs));
  }
}
