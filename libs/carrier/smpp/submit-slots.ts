import type { SubmitSlot } from '../carrier.js';
import type { SmppSession } from './session.js';
import type { SubmitRate } from './submit-rate.js';

/** A submit that waits for a slot on the same bind as the earlier segments of its message. */
interface Follower {
  readonly session: SmppSession;
  readonly deadlineMs: number;
  readonly resolve: (slot: SubmitSlot | undefined) => void;
}

/**
 * Hands out the slots of the binds that are up, as their windows and the common rate allow, from the bind with the most
 * free slots. Further segments of a message come before new messages and stay on its bind, so that no message stays
 * half sent.
 */
export class SubmitSlots {
  private isClosed = false;
  /** Binds that take new messages. */
  private readonly sessions = new Set<SmppSession>();
  /** In order of arrival. */
  private readonly followers = new Set<Follower>();
  /** `take` gave fewer slots than it was asked for, and `onFree` was not called since. */
  private isShort = false;
  private wakeTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly windowSize: number,
    private readonly followMaxMs: number,
    private readonly rate: SubmitRate,
    private readonly now: () => number,
    private readonly onFree: () => void,
  ) {}

  open(session: SmppSession): void {
    this.sessions.add(session);
    this.progress();
  }

  /** Gives this bind no new messages; it finishes those that it has begun. */
  retire(session: SmppSession): void {
    this.sessions.delete(session);
  }

  /** Whether slots of this bind are out or waited for. After everything is closed, slots that are out do not count. */
  isInUse(session: SmppSession): boolean {
    if (this.isClosed) return false;
    return session.slotsInUse > 0 || [...this.followers].some((follower) => follower.session === session);
  }

  /** Hands out no more slots; a slot that is still out answers `not-sent`. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.wakeTimer);
    this.serveFollowers();
  }

  take(max: number): SubmitSlot[] {
    this.serveFollowers();
    const slots: SubmitSlot[] = [];
    for (let free = this.free(max); free > 0; free--) {
      const session = this.roomiest();
      if (session !== undefined) slots.push(this.slotOn(session));
    }
    if (slots.length < max) {
      this.isShort = true;
      this.wakeWhenRateAllows();
    }
    return slots;
  }

  /**
   * Slots may have become free, or somebody may have waited too long: serves the further segments that wait, then tells
   * of what is left.
   */
  progress(): void {
    this.serveFollowers();
    if (this.isShort && this.free(1) > 0) {
      this.isShort = false;
      this.onFree();
    }
    this.wakeWhenRateAllows();
  }

  /** A caller that waits for the window of its bind does not delay those of other binds. */
  private serveFollowers(): void {
    const nowMs = this.now();
    for (const follower of this.followers) {
      const { session, deadlineMs, resolve } = follower;
      const isServed = this.room(session) > 0 && this.rate.available(1, nowMs) > 0;
      const mayWait = !this.isClosed && session.isBound && nowMs < deadlineMs;
      if (!isServed && mayWait) continue;
      this.followers.delete(follower);
      resolve(isServed ? this.slotOn(session) : undefined);
    }
  }

  /** How many of `max` new messages could go out now. */
  private free(max: number): number {
    let room = 0;
    for (const session of this.sessions) room += this.room(session);
    const wanted = Math.min(max, room);
    return wanted > 0 ? this.rate.available(wanted, this.now()) : 0;
  }

  private roomiest(): SmppSession | undefined {
    let best: SmppSession | undefined;
    for (const session of this.sessions) {
      if (this.room(session) > (best === undefined ? 0 : this.room(best))) best = session;
    }
    return best;
  }

  private room(session: SmppSession): number {
    return this.isClosed || !session.isBound ? 0 : this.windowSize - session.slotsInUse;
  }

  private slotOn(session: SmppSession): SubmitSlot {
    session.slotsInUse += 1;
    this.rate.take(1);
    let isSpent = false;
    return {
      submit: (segment, onLate) => {
        if (isSpent) return Promise.resolve({ kind: 'not-sent', code: 'SLOT_SPENT' });
        isSpent = true;
        if (!this.isClosed) return session.submit(segment, onLate);
        session.slotsInUse -= 1;
        return Promise.resolve({ kind: 'not-sent', code: 'CLOSING' });
      },
      release: () => {
        if (isSpent) return;
        isSpent = true;
        session.slotsInUse -= 1;
        this.rate.giveBack();
        this.progress();
      },
      another: () =>
        new Promise((resolve) => {
          this.followers.add({ session, deadlineMs: this.now() + this.followMaxMs, resolve });
          this.progress();
        }),
    };
  }

  /** If only the rate is missing, nothing else brings progress, so a timer does. */
  private wakeWhenRateAllows(): void {
    const isRateInTheWay =
      (this.isShort && this.roomiest() !== undefined) || [...this.followers].some(({ session }) => this.room(session) > 0);
    if (!isRateInTheWay) return;
    clearTimeout(this.wakeTimer);
    this.wakeTimer = setTimeout(() => this.progress(), Math.ceil(this.rate.waitMs(this.now())));
  }
}
