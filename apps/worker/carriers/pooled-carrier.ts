import {
  type BindState,
  type Carrier,
  type CarrierReadiness,
  type SubmitOutcome,
  type SubmitSlot,
  takesMessages,
} from '#carrier';
import type { StoredCarrier } from '#persistence';
import { Pace } from './pace.js';
import { TestSlots } from './test-slots.js';
import { Throttling } from './throttling.js';

/** Characters of a reason in a heartbeat. */
const REASON_CHARACTERS_MAX = 200;
/** How long messages wait for a carrier that is down or throttled before another one of their route gets them. */
const REROUTE_AFTER_MS = 3_000;

/**
 * One of the operator's carriers in this worker: its settings, its connection if this worker has one, and its state.
 */
export class PooledCarrier {
  carrier: Carrier | undefined;
  /** How many binds of a shared carrier this worker holds. */
  bindsHeld = 0;
  /** It is a simulator beside real carriers, so it takes no messages. */
  isExcluded = false;
  /** When this worker heard that the operator has removed it. */
  removedMs = Number.POSITIVE_INFINITY;
  /** Whether another worker reports a bind of it. */
  isBoundElsewhere = false;
  /** Why the worker cannot connect to it at all: a secret without its key, or settings that cannot work. */
  fault: string | undefined;
  /** Why its last connection ended or failed. */
  lastError: { readonly reason: string; readonly at: Date } | undefined;
  /** The next connection waits for this: the close of the one before. */
  letGo: Promise<void> = Promise.resolve();
  /** Segments that it takes from this worker. */
  readonly pace = new Pace();
  /** Jobs of its queue that this worker works on now. */
  jobs = 0;
  /** Jobs of its queue that this worker has ended. */
  readonly jobPace = new Pace();
  /** Segments a second that it takes from all other workers. */
  paceOfOthers = 0;
  /** Whether interactive jobs waited on its queue when the feeder last looked. */
  hasInteractiveWaiting = false;
  /** For messages that are to test it, also while it is paused or excluded. */
  readonly testSlots = new TestSlots(() => this.carrier?.takeSlots(1)[0]);
  /** Called when it may have slots after it gave fewer than it was asked for. */
  onSlotsFree: () => void = () => undefined;
  private readonly throttling = new Throttling();
  /** Infinity while it takes messages. */
  private unusableSinceMs = performance.now();

  constructor(public stored: StoredCarrier) {}

  get id(): number {
    return this.stored.carrierId;
  }

  /** All workers share its binds. */
  get isShared(): boolean {
    return this.stored.bindCount !== undefined;
  }

  /**
   * Segments a second that it takes from all workers together, at most its rate; if it takes none now, its rate. 0: not
   * known.
   */
  get paceOfAll(): number {
    const { submitsPerSecond } = this.stored;
    const pace = this.pace.perSecond + this.paceOfOthers;
    return pace > 1 ? Math.min(pace, submitsPerSecond ?? pace) : (submitsPerSecond ?? 0);
  }

  get state(): BindState {
    return this.carrier?.state ?? 'down';
  }

  /** Free slots at once, as many as there are; tests that wait for one come first. */
  takeSlots(max: number): SubmitSlot[] {
    this.testSlots.serve();
    const { carrier } = this;
    if (carrier === undefined || this.stored.paused || this.isExcluded) return [];
    const slots = carrier.takeSlots(max);
    this.throttling.noteSlots(slots.length);
    return slots;
  }

  noteError(reason: string): void {
    this.lastError = { reason: reason.slice(0, REASON_CHARACTERS_MAX), at: new Date() };
  }

  noteOutcome(kind: SubmitOutcome['kind']): void {
    this.throttling.noteOutcome(kind);
  }

  get readiness(): CarrierReadiness {
    const readiness = this.readinessNow();
    const isUsable = takesMessages(readiness);
    this.unusableSinceMs = isUsable ? Number.POSITIVE_INFINITY : Math.min(this.unusableSinceMs, performance.now());
    return readiness;
  }

  /** Whether what waits for it should look for another carrier. */
  get isToBeLeft(): boolean {
    const { readiness } = this;
    const isForGood = readiness === 'paused' || readiness === 'excluded' || readiness === 'removed';
    return isForGood || performance.now() - this.unusableSinceMs >= REROUTE_AFTER_MS;
  }

  private readinessNow(): CarrierReadiness {
    if (this.removedMs !== Number.POSITIVE_INFINITY) return 'removed';
    if (this.stored.paused) return 'paused';
    if (this.isExcluded) return 'excluded';
    if (this.state !== 'bound') return this.isBoundElsewhere ? 'bound-elsewhere' : 'down';
    return this.throttling.isLikely(this.stored) && !this.hasFreeSlot() ? 'throttled' : 'up';
  }

  private hasFreeSlot(): boolean {
    const [free] = this.takeSlots(1);
    free?.release();
    return free !== undefined;
  }
}
