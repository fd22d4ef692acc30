import type { SubmitSlot, WireFormat } from '../carrier.js';
import { Followers } from './followers.js';
import type { SubmitRate } from './submit-rate.js';

/** What slots belong to: a bind, or the requests of a carrier that has none. */
export interface Submitter {
  /** Slots that may be out at once; 0 while it is down. */
  readonly window: number;
  /** Slots that are out. */
  slotsInUse: number;
  readonly submit: SubmitSlot['submit'];
}

/**
 * Hands out the slots of the binds that are up, as their windows and the common rate allow, from the bind with the most
 * free slots. Further segments of a message come before new messages and stay on its bind, so that no message stays
 * half sent.
 */
export class SubmitSlots {
  private isClosed = false;
  /** Binds that take new messages. */
  private readonly binds = new Set<Submitter>();
  private readonly followers: Followers<Submitter>;
  /** `take` gave fewer slots than it was asked for, and `onFree` was not called since. */
  private isShort = false;
  private wakeTimer: NodeJS.Timeout | undefined;

  /** @param followMaxMs how long a further segment may wait for its slot; `progress` ends the wait */
  constructor(
    private readonly format: WireFormat,
    private readonly rate: SubmitRate,
    private readonly now: () => number,
    private readonly onFree: () => void,
    followMaxMs?: number,
  ) {
    this.followers = new Followers(now, followMaxMs);
  }

  open(bind: Submitter): void {
    this.binds.add(bind);
    this.progress();
  }

  /** Gives this bind no new messages; it finishes those that it has begun. */
  retire(bind: Submitter): void {
    this.binds.delete(bind);
  }

  /** Whether slots of this bind are out or waited for. After everything is closed, slots that are out do not count. */
  isInUse(bind: Submitter): boolean {
    if (this.isClosed) return false;
    return bind.slotsInUse > 0 || this.followers.some((one) => one === bind);
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
      const bind = this.roomiest();
      if (bind !== undefined) slots.push(this.slotOn(bind));
    }
    this.isShort ||= slots.length < max;
    this.wakeWhenRateAllows();
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

  private serveFollowers(): void {
    this.followers.serve(
      (bind) => (this.room(bind) > 0 && this.rate.available(1, this.now()) > 0 ? this.slotOn(bind) : undefined),
      ({ window }) => !this.isClosed && window > 0,
    );
  }

  /** How many of `max` new messages could go out now. */
  private free(max: number): number {
    let room = 0;
    for (const bind of this.binds) room += this.room(bind);
    const wanted = Math.min(max, room);
    return wanted > 0 ? this.rate.available(wanted, this.now()) : 0;
  }

  private roomiest(): Submitter | undefined {
    let best: Submitter | undefined;
    for (const bind of this.binds) {
      if (this.room(bind) > (best === undefined ? 0 : this.room(best))) best = bind;
    }
    return best;
  }

  private room(bind: Submitter): number {
    return this.isClosed ? 0 : Math.max(0, bind.window - bind.slotsInUse);
  }

  private slotOn(bind: Submitter): SubmitSlot {
    bind.slotsInUse += 1;
    this.rate.take(1);
    let isSpent = false;
    let isOut = true;
    return {
      format: this.format,
      submit: (segment, onLate) => {
        if (isSpent) return Promise.resolve({ kind: 'not-sent', code: 'SLOT_SPENT' });
        isSpent = true;
        if (this.isClosed) return Promise.resolve({ kind: 'not-sent', code: 'CLOSING' });
        return bind.submit(segment, onLate);
      },
      release: () => {
        if (!isOut) return;
        isOut = false;
        bind.slotsInUse -= 1;
        if (!isSpent) this.rate.giveBack();
        isSpent = true;
        this.progress();
      },
      another: () => {
        const slot = this.followers.add(bind);
        this.progress();
        return slot;
      },
    };
  }

  /** If only the rate is missing, nothing else brings progress, so a timer does. */
  private wakeWhenRateAllows(): void {
    const isRateInTheWay =
      (this.isShort && this.roomiest() !== undefined) || this.followers.some((bind) => this.room(bind) > 0);
    if (!isRateInTheWay) return;
    clearTimeout(this.wakeTimer);
    this.wakeTimer = setTimeout(() => this.progress(), Math.ceil(this.rate.waitMs(this.now())));
  }
}
