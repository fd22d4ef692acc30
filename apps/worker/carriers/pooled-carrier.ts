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

/** A carrier that gives no slot for this long is full for more than a moment. */
const NO_SLOT_MAX_MS = 5_000;
/** The same in submits of its rate, for carriers that are slow by contract. */
const NO_SLOT_MAX_SUBMITS = 5;
/** Of a reason that goes to operators with each heartbeat. */
const REASON_CHARACTERS_MAX = 200;
/** How long an answer that it is too fast counts. */
const THROTTLED_FOR_MS = 2_000;

/** One carrier of the operator's in this worker: its settings, its connection while this worker has one, and how it stands. */
export class PooledCarrier {
  carrier: Carrier | undefined;
  /** Binds of a shared carrier that are this worker's now. */
  bindsHeld = 0;
  /** It is a simulator that takes nothing beside the real carriers. */
  isExcluded = false;
  /** Whether another worker says that it is bound. */
  isBoundElsewhere = false;
  /** Why it cannot be connected at all: a secret without its key, or settings that cannot work. */
  fault: string | undefined;
  /** Why a connection of it ended or did not come up, the latest time. */
  lastError: { readonly reason: string; readonly at: Date } | undefined;
  /** What holds the next connection back until the one before it is closed. */
  letGo: Promise<void> = Promise.resolve();
  private emptySinceMs: number | undefined;
  private throttledAtMs = Number.NEGATIVE_INFINITY;
  private unusableSinceMs: number | undefined = performance.now();

  constructor(public stored: StoredCarrier) {}

  get id(): number {
    return this.stored.carrierId;
  }

  /** Its binds are counted for all workers together. */
  get isShared(): boolean {
    return this.stored.bindCount !== undefined;
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

  /** It cannot be connected, and is tried again at every reading; the log has each reason once. */
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
    if (this.state !== 'bound') return this.isBoundElsewhere ? 'elsewhere' : 'down';
    const nowMs = performance.now();
    const isSlow = nowMs - (this.emptySinceMs ?? nowMs) > this.noSlotMaxMs();
    const isThrottled = nowMs - this.throttledAtMs < THROTTLED_FOR_MS;
    // Nobody may have asked for a while, so it is asked now.
    return (isSlow || isThrottled) && !this.hasFreeSlot ? 'throttled' : 'up';
  }

  private noSlotMaxMs(): number {
    const { submitsPerSecond, bindCount } = this.stored;
    if (submitsPerSecond === undefined) return NO_SLOT_MAX_MS;
    // With binds at several workers each has a part of the rate.
    return Math.max(NO_SLOT_MAX_MS, (NO_SLOT_MAX_SUBMITS * 1_000 * (bindCount ?? 1)) / submitsPerSecond);
  }
}
