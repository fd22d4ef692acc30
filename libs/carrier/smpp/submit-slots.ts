import type { OutboundSegment, SubmitOutcome, SubmitSlot } from '../carrier.js';
import type { SmppSession } from './session.js';
import type { SubmitRate } from './submit-rate.js';

/** A submit that waits for a slot on the very bind that its message went out on before. */
interface Follower {
  readonly session: SmppSession;
  readonly deadlineMs: number;
  readonly resolve: (slot: SubmitSlot | undefined) => void;
}

/**
 * Gives out the slots of the bind that is up, as its window and the rate allow. Further segments of a message that is on its way
 * come before new messages, so that none is left half sent.
 */
export class SubmitSlots {
  private session: SmppSession | undefined;
  private readonly followers: Follower[] = [];
  private readonly watchers = new Set<() => void>();
  private wakeTimer: NodeJS.Timeout | undefined;
  private wakeAtMs = 0;
  private isClosed = false;

  constructor(
    private readonly windowSize: number,
    private readonly followMaxMs: number,
    private readonly rate: SubmitRate,
    private readonly now: () => number,
  ) {}

  open(session: SmppSession): void {
    this.session = session;
    this.progress();
  }

  lose(): void {
    this.session = undefined;
    for (const { resolve } of this.followers.splice(0)) resolve(undefined);
  }

  /** No slots any more; slots that are out answer `not-sent`. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.wakeTimer);
    for (const { resolve } of this.followers.splice(0)) resolve(undefined);
    for (const wake of [...this.watchers]) wake();
  }

  take(max: number): SubmitSlot[] {
    this.serveFollowers();
    if (this.followers.length > 0) return [];
    const { session } = this;
    const count = this.free(max);
    if (session === undefined || count === 0) return [];
    return Array.from({ length: count }, () => this.slotOn(session));
  }

  changed(timeoutMs: number): Promise<void> {
    if (this.followers.length === 0 && this.free(1) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.watchers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.watchers.add(wake);
      this.wakeWhenRateAllows();
    });
  }

  /** Slots may have become free: serves who waits for one. */
  progress(): void {
    this.serveFollowers();
    if (this.watchers.size > 0 && this.followers.length === 0 && this.free(1) > 0) {
      for (const wake of [...this.watchers]) wake();
    }
    this.wakeWhenRateAllows();
  }

  /** Sends away who has waited too long for a further slot. */
  tick(nowMs: number): void {
    while (this.followers[0] !== undefined && this.followers[0].deadlineMs <= nowMs) {
      this.followers.shift()?.resolve(undefined);
    }
  }

  submit(session: SmppSession, segment: OutboundSegment): Promise<SubmitOutcome> {
    if (!this.isClosed) return session.submit(segment);
    session.slotsInUse -= 1;
    return Promise.resolve({ kind: 'not-sent', code: 'CLOSING' });
  }

  release(session: SmppSession): void {
    session.slotsInUse -= 1;
    this.rate.giveBack();
    this.progress();
  }

  another(session: SmppSession): Promise<SubmitSlot | undefined> {
    if (this.isClosed || !session.isBound) return Promise.resolve(undefined);
    if (this.followers.length === 0 && this.free(1) > 0) return Promise.resolve(this.slotOn(session));
    return new Promise((resolve) => {
      this.followers.push({ session, deadlineMs: this.now() + this.followMaxMs, resolve });
      this.wakeWhenRateAllows();
    });
  }

  private serveFollowers(): void {
    while (this.followers.length > 0 && this.free(1) > 0) {
      const follower = this.followers.shift();
      follower?.resolve(follower.session.isBound ? this.slotOn(follower.session) : undefined);
    }
  }

  private free(max: number): number {
    const { session } = this;
    if (this.isClosed || session === undefined || !session.isBound) return 0;
    const room = Math.min(max, this.windowSize - session.slotsInUse);
    return room <= 0 ? 0 : this.rate.available(room, this.now());
  }

  private slotOn(session: SmppSession): SubmitSlot {
    session.slotsInUse += 1;
    this.rate.take(1);
    return new Slot(this, session);
  }

  /** Where only the rate is in the way, nothing else will tell when it no longer is. A timer set at a lower rate comes too late. */
  private wakeWhenRateAllows(): void {
    if (this.isClosed || this.watchers.size + this.followers.length === 0) return;
    const { session } = this;
    if (session === undefined || session.slotsInUse >= this.windowSize) return;
    const nowMs = this.now();
    const wakeAtMs = nowMs + Math.ceil(this.rate.waitMs(nowMs));
    if (this.wakeTimer !== undefined && this.wakeAtMs <= wakeAtMs) return;
    clearTimeout(this.wakeTimer);
    this.wakeAtMs = wakeAtMs;
    this.wakeTimer = setTimeout(() => {
      this.wakeTimer = undefined;
      this.progress();
    }, wakeAtMs - nowMs);
  }
}

class Slot implements SubmitSlot {
  private isSpent = false;

  constructor(
    private readonly slots: SubmitSlots,
    private readonly session: SmppSession,
  ) {}

  submit(segment: OutboundSegment): Promise<SubmitOutcome> {
    if (this.isSpent) return Promise.resolve({ kind: 'not-sent', code: 'SLOT_SPENT' });
    this.isSpent = true;
    return this.slots.submit(this.session, segment);
  }

  release(): void {
    if (this.isSpent) return;
    this.isSpent = true;
    this.slots.release(this.session);
  }

  another(): Promise<SubmitSlot | undefined> {
    return this.slots.another(this.session);
  }
}
