import type { LateOutcome, OutboundSegment, SubmitOutcome, SubmitSlot } from '../carrier.js';
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
  /** Slots that are still out submit nothing any more. */
  isClosed = false;
  private readonly sessions = new Set<SmppSession>();
  /** Binds that are being closed: they finish the messages that they have begun. */
  private readonly retiring = new WeakSet<SmppSession>();
  private followers: Follower[] = [];
  /** `take` gave fewer slots than it was asked for, and `onFree` was not called since. */
  private isShort = false;
  private wakeTimer: NodeJS.Timeout | undefined;
  private wakeAtMs = 0;

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

  lose(session: SmppSession): void {
    this.sessions.delete(session);
    this.sendAway((follower) => follower.session === session);
  }

  /** Gives this bind no new messages; it finishes those that it has begun. */
  retire(session: SmppSession): void {
    this.retiring.add(session);
  }

  /** Whether slots of this bind are out or waited for. After everything is closed, slots that are out do not count. */
  isInUse(session: SmppSession): boolean {
    if (this.isClosed) return false;
    return session.slotsInUse > 0 || this.followers.some((follower) => follower.session === session);
  }

  /** Hands out no more slots; a slot that is still out answers `not-sent`. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.wakeTimer);
    this.sendAway(() => true);
  }

  take(max: number): SubmitSlot[] {
    this.serveFollowers();
    const slots: SubmitSlot[] = [];
    for (let count = this.free(max); count > 0; count--) {
      const session = this.roomiest();
      if (session === undefined) break;
      slots.push(this.slotOn(session));
    }
    if (slots.length < max) {
      this.isShort = true;
      this.wakeWhenRateAllows();
    }
    return slots;
  }

  /** Slots may have become free: serves the further segments that wait, then tells of what is left. */
  progress(): void {
    this.serveFollowers();
    if (this.isShort && this.free(1) > 0) {
      this.isShort = false;
      this.onFree();
    }
    this.wakeWhenRateAllows();
  }

  /** Ends the wait of callers that have waited too long for a further slot. */
  tick(nowMs: number): void {
    if (this.followers[0] === undefined || this.followers[0].deadlineMs > nowMs) return;
    this.sendAway((follower) => follower.deadlineMs <= nowMs);
  }

  release(session: SmppSession): void {
    session.slotsInUse -= 1;
    this.rate.giveBack();
    this.progress();
  }

  another(session: SmppSession): Promise<SubmitSlot | undefined> {
    if (this.isClosed || !session.isBound) return Promise.resolve(undefined);
    const isFirst = !this.followers.some((follower) => this.hasRoom(follower.session));
    if (isFirst && this.hasRoom(session) && this.rate.available(1, this.now()) > 0) {
      return Promise.resolve(this.slotOn(session));
    }
    return new Promise((resolve) => {
      this.followers.push({ session, deadlineMs: this.now() + this.followMaxMs, resolve });
      this.wakeWhenRateAllows();
    });
  }

  /** In order of arrival. A caller that waits for the window of its bind does not delay those of other binds. */
  private serveFollowers(): void {
    if (this.isClosed || this.followers.length === 0) return;
    this.sendAway(({ session }) => !session.isBound);
    for (;;) {
      const next = this.followers.find(({ session }) => this.hasRoom(session));
      if (next === undefined || this.rate.available(1, this.now()) === 0) return;
      this.followers.splice(this.followers.indexOf(next), 1);
      next.resolve(this.slotOn(next.session));
    }
  }

  private sendAway(isGone: (follower: Follower) => boolean): void {
    const gone = this.followers.filter(isGone);
    if (gone.length === 0) return;
    this.followers = this.followers.filter((follower) => !gone.includes(follower));
    for (const { resolve } of gone) resolve(undefined);
  }

  /** How many of `max` new messages could go out now. */
  private free(max: number): number {
    if (this.isClosed) return 0;
    let room = 0;
    for (const session of this.sessions) room += this.roomForNew(session);
    room = Math.min(max, room);
    return room <= 0 ? 0 : this.rate.available(room, this.now());
  }

  private roomiest(): SmppSession | undefined {
    let best: SmppSession | undefined;
    let bestRoom = 0;
    for (const session of this.sessions) {
      const room = this.roomForNew(session);
      if (room <= bestRoom) continue;
      best = session;
      bestRoom = room;
    }
    return best;
  }

  private roomForNew(session: SmppSession): number {
    return session.isBound && !this.retiring.has(session) ? Math.max(0, this.windowSize - session.slotsInUse) : 0;
  }

  private hasRoom(session: SmppSession): boolean {
    return session.isBound && session.slotsInUse < this.windowSize;
  }

  private slotOn(session: SmppSession): SubmitSlot {
    session.slotsInUse += 1;
    this.rate.take(1);
    return new Slot(this, session);
  }

  /**
   * If only the rate is missing, nothing else brings progress, so a timer does. A timer that was set at a lower rate
   * would come too late.
   */
  private wakeWhenRateAllows(): void {
    if (this.isClosed) return;
    const isRateInTheWay =
      (this.isShort && this.roomiest() !== undefined) || this.followers.some(({ session }) => this.hasRoom(session));
    if (!isRateInTheWay) return;
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

  submit(segment: OutboundSegment, onLate?: LateOutcome): Promise<SubmitOutcome> {
    if (this.isSpent) return Promise.resolve({ kind: 'not-sent', code: 'SLOT_SPENT' });
    this.isSpent = true;
    if (!this.slots.isClosed) return this.session.submit(segment, onLate);
    this.session.slotsInUse -= 1;
    return Promise.resolve({ kind: 'not-sent', code: 'CLOSING' });
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
