import { Carrier, type CarrierDependencies, type SubmitOutcome, type SubmitSlot, type WireFormat } from '../carrier.js';
import { SubmitRate } from './submit-rate.js';
import { SubmitSlots } from './submit-slots.js';

/** What every adapter is: one rate over all its connections, whose windows bound the slots. */
export abstract class PacedCarrier extends Carrier {
  protected readonly now: () => number;
  protected readonly rate: SubmitRate;
  protected readonly slots: SubmitSlots;

  /** @param followMaxMs how long a further segment may wait for a slot on the connection of its message */
  constructor(
    readonly name: string,
    readonly wireFormat: WireFormat,
    submitsPerSecond: number | undefined,
    private readonly observer: Pick<CarrierDependencies, 'now' | 'onSlotsFree' | 'onSubmit'>,
    followMaxMs?: number,
  ) {
    super();
    this.now = observer.now ?? (() => performance.now());
    this.rate = new SubmitRate(submitsPerSecond, this.now());
    this.slots = new SubmitSlots(wireFormat, this.rate, this.now, () => observer.onSlotsFree?.(), followMaxMs);
  }

  takeSlots(max: number): SubmitSlot[] {
    return this.slots.take(max);
  }

  setSubmitsPerSecond(submitsPerSecond: number | undefined): void {
    this.rate.configure(submitsPerSecond, this.now());
    this.slots.progress();
  }

  protected noteOutcome({ kind }: SubmitOutcome, submittedAtMs: number): void {
    const nowMs = this.now();
    if (kind === 'accepted') this.rate.onAccepted(nowMs);
    else if (kind === 'throttled') this.rate.onThrottled(nowMs, submittedAtMs);
    this.observer.onSubmit?.(nowMs - submittedAtMs, kind);
  }
}
