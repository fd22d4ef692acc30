import {
  type BindState,
  type Carrier,
  type CarrierReadiness,
  type SubmitOutcome,
  type SubmitSlot,
  takesMessages,
} from '#carrier';
import { SecretUnreadable, type StoredCarrier } from '#persistence';
import type { Logger } from '#telemetry';
import { Pace } from './pace.js';

/** A carrier without a free slot for this long is throttled, not only full for a moment. */
const NO_SLOT_MAX_MS = 5_000;
/** The same, in submits at its rate, for carriers with a low contracted rate. */
const NO_SLOT_MAX_SUBMITS = 5;
/** Characters of a reason in a heartbeat. */
const REASON_CHARACTERS_MAX = 200;
/** How long a throttling error counts. */
const THROTTLED_FOR_MS = 2_000;

/**
 * One of the operator's carriers in this worker: its settings, its connection if this worker has one, and its state.
 */
export class PooledCarrier {
  carrier: Carrier | undefined;
  /** How many binds of a shared carrier this worker holds. */
  bindsHeld = 0;
  /** It is a simulator beside real carriers, so it takes no messages. */
  isExcluded = false;
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
  /** Jobs of its queue that this worker has ended. */
  readonly jobPace = new Pace();
  /** Segments a second that it takes from all other workers. */
  paceOfOthers = 0;
  /** Whether interactive jobs waited on its queue when the feeder last looked. */
  hasInteractiveWaiting = false;
  private emptySinceMs: number | undefined;
  private throttledAtMs = Number.NEGATIVE_INFINITY;
  private unusableSinceMs: number | undefined = performance.now();

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

  /** Whether messages may be handed to it once it is connected. */
  get isOpen(): boolean {
    return !this.stored.paused && !this.isExcluded;
  }

  /** Free slots at once; none while it is paused or excluded. */
  takeSlots(max: number): readonly SubmitSlot[] {
    if (!this.isOpen || this.carrier === undefined) return [];
    const slots = this.carrier.takeSlots(max);
    if (slots.length > 0) this.emptySinceMs = undefined;
    else this.emptySinceMs ??= performance.now();
    return slots;
  }

  get hasFreeSlot(): boolean {
    const [slot] = this.takeSlots(1);
    slot?.release();
    return slot !== undefined;
  }

  /** The worker cannot connect to it and tries again at every refresh; the log has each reason once. */
  noteFault(error: unknown, log: Logger): void {
    const fault = error instanceof Error ? error.message : String(error);
    this.noteError(fault);
    if (fault === this.fault) return;
    this.fault = fault;
    const { name } = this.stored;
    if (error instanceof SecretUnreadable) log.error({ carrier: name }, `carrier ${name} is down: ${fault}`);
    else log.error({ err: error, carrier: name }, 'a carrier has settings that cannot work');
  }

  noteError(reason: string): void {
    this.lastError = { reason: reason.slice(0, REASON_CHARACTERS_MAX), at: new Date() };
  }

  noteOutcome(kind: SubmitOutcome['kind']): void {
    if (kind === 'throttled') this.throttledAtMs = performance.now();
  }

  get readiness(): CarrierReadiness {
    const readiness = this.readinessNow();
    if (takesMessages(readiness)) this.unusableSinceMs = undefined;
    else this.unusableSinceMs ??= performance.now();
    return readiness;
  }

  /** For how long it has taken no messages; 0 while it does. */
  get unusableMs(): number {
    return takesMessages(this.readiness) || this.unusableSinceMs === undefined
      ? 0
      : performance.now() - this.unusableSinceMs;
  }

  /** Submits a second for this worker: its part of what the carrier's contract allows all workers. */
  rateFor(liveWorkers: number): number | undefined {
    const { submitsPerSecond, bindCount } = this.stored;
    if (submitsPerSecond === undefined) return undefined;
    if (bindCount === undefined) return submitsPerSecond / liveWorkers;
    return (submitsPerSecond * Math.max(1, Math.min(this.bindsHeld, bindCount))) / bindCount;
  }

  private readinessNow(): CarrierReadiness {
    if (this.stored.paused) return 'paused';
    if (this.isExcluded) return 'excluded';
    if (this.state !== 'bound') return this.isBoundElsewhere ? 'bound-elsewhere' : 'down';
    const nowMs = performance.now();
    const isSlow = nowMs - (this.emptySinceMs ?? nowMs) > this.noSlotMaxMs();
    const isThrottled = nowMs - this.throttledAtMs < THROTTLED_FOR_MS;
    // No caller may have asked for a slot for a while, so ask now.
    return (isSlow || isThrottled) && !this.hasFreeSlot ? 'throttled' : 'up';
  }

  private noSlotMaxMs(): number {
    const { submitsPerSecond, bindCount } = this.stored;
    if (submitsPerSecond === undefined) return NO_SLOT_MAX_MS;
    // If several workers have binds, each has a part of the rate.
    return Math.max(NO_SLOT_MAX_MS, (NO_SLOT_MAX_SUBMITS * 1_000 * (bindCount ?? 1)) / submitsPerSecond);
  }
}
