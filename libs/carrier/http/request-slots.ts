import type { OutboundSegment, SubmitOutcome, SubmitSlot } from '../carrier.js';
import type { SubmitRate } from '../smpp/submit-rate.js';

/** Hands out slots for requests, as the window, the rate and the provider's Retry-After allow. */
export class RequestSlots {
  private inUse = 0;
  private pausedUntilMs = 0;
  private isClosed = false;
  /** `take` gave fewer slots than it was asked for, and `onFree` was not called since. */
  private isShort = false;
  /** Messages that wait for a slot for their next segment, in order of arrival. */
  private readonly followers: ((slot: SubmitSlot | undefined) => void)[] = [];
  private readonly idleWaiters: (() => void)[] = [];
  private wakeTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly requestsMax: () => number,
    private readonly rate: SubmitRate,
    private readonly now: () => number,
    private readonly submit: (segment: OutboundSegment) => Promise<SubmitOutcome>,
    private readonly onFree: () => void,
  ) {}

  take(max: number): SubmitSlot[] {
    this.serveFollowers();
    const slots = Array.from({ length: this.free(max) }, () => this.slot());
    if (slots.length < max) {
      this.isShort = true;
      this.wakeInTime();
    }
    return slots;
  }

  /** Slots may have become free: serves the further segments that wait, then tells of what is left. */
  progress(): void {
    if (this.inUse === 0) for (const idle of this.idleWaiters.splice(0)) idle();
    this.serveFollowers();
    if (this.isShort && this.free(1) > 0) {
      this.isShort = false;
      this.onFree();
    }
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
    this.serveFollowers();
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
    this.inUse += 1;
    this.rate.take(1);
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
  private next(): Promise<SubmitSlot | undefined> {
    return new Promise((resolve) => {
      this.followers.push(resolve);
      this.serveFollowers();
      this.wakeInTime();
    });
  }

  private serveFollowers(): void {
    while (this.followers.length > 0) {
      const isOver = this.isClosed || this.requestsMax() === 0;
      if (!isOver && this.free(1) === 0) return;
      this.followers.shift()?.(isOver ? undefined : this.slot());
    }
  }

  private free(max: number): number {
    const nowMs = this.now();
    if (this.isClosed || nowMs < this.pausedUntilMs) return 0;
    const room = Math.min(max, this.requestsMax() - this.inUse);
    return room <= 0 ? 0 : this.rate.available(room, nowMs);
  }

  /** If only time is missing, nothing else brings progress, so a timer does. */
  private wakeInTime(): void {
    if (this.wakeTimer !== undefined || this.isClosed || !(this.isShort || this.followers.length > 0)) return;
    if (this.inUse >= this.requestsMax()) return;
    const nowMs = this.now();
    const waitMs = Math.max(1, this.rate.waitMs(nowMs), this.pausedUntilMs - nowMs);
    this.wakeTimer = setTimeout(() => {
      this.wakeTimer = undefined;
      this.progress();
    }, Math.ceil(waitMs));
  }
}
