import { type BindState, Carrier, type ReceiptSink, type SubmitOutcome, type SubmitSlot } from '../carrier.js';
import type { CarrierLog } from '../carrier-log.js';
import { senderAddress } from './address.js';
import { SmppBind } from './bind.js';
import type { DeliveryKind } from './deliveries.js';
import type { BindRole } from './session-dependencies.js';
import { type CompleteSettings, completeSettings, type SmppCarrierSettings } from './settings.js';
import { SubmitRate } from './submit-rate.js';
import { SubmitSlots } from './submit-slots.js';
import { SubmitEncoder } from './submit-sm.js';

export interface SmppCarrierDependencies {
  readonly onReceipt: ReceiptSink;
  readonly log: CarrierLog;
  /** A clock in milliseconds that never goes back; `performance.now` unless given. */
  readonly now?: () => number;
  readonly random?: () => number;
  readonly onStateChange?: (state: BindState, bind: BindRole) => void;
  /** Each submit that left or could not: how long its response took, and what became of it. */
  readonly onSubmit?: (latencyMs: number, kind: SubmitOutcome['kind']) => void;
  readonly onDelivery?: (kind: DeliveryKind) => void;
  /** A response that came after its submit had been given up as in doubt. */
  readonly onLateResponse?: () => void;
}

/** A carrier that speaks SMPP 3.4: one window and one rate, over one transceiver or a transmitter and a receiver. */
export class SmppCarrier extends Carrier {
  readonly name: string;
  readonly unit = 'segment';
  private readonly transmitter: SmppBind;
  private readonly receiver: SmppBind | undefined;
  private readonly rate: SubmitRate;
  private readonly slots: SubmitSlots;
  private readonly now: () => number;
  private closed: Promise<void> | undefined;

  /** @throws RangeError naming the setting that cannot work */
  constructor(
    settings: SmppCarrierSettings,
    private readonly dependencies: SmppCarrierDependencies,
  ) {
    super();
    const complete = completeSettings(settings);
    this.name = complete.name;
    this.now = dependencies.now ?? (() => performance.now());
    this.rate = new SubmitRate(complete.submitsPerSecond, this.now());
    this.slots = new SubmitSlots(complete.windowSize, complete.responseTimeoutMs, this.rate, this.now);
    const hasOneBind = complete.bindMode === 'transceiver';
    this.transmitter = this.createBind(hasOneBind ? 'transceiver' : 'transmitter', complete);
    this.receiver = hasOneBind ? undefined : this.createBind('receiver', complete);
  }

  /** Of the bind that submits; without its receiver a carrier still takes messages and keeps the receipts. */
  get state(): BindState {
    return this.transmitter.state;
  }

  /** Submits a second that the settings and the carrier's throttling allow now; Infinity when neither sets a limit. */
  get submitsPerSecondNow(): number {
    return this.rate.limitPerSecond;
  }

  start(): void {
    this.transmitter.start();
    this.receiver?.start();
  }

  takeSlots(max: number): SubmitSlot[] {
    return this.slots.take(max);
  }

  slotsChanged(timeoutMs: number): Promise<void> {
    return this.slots.changed(timeoutMs);
  }

  /**
   * Changes the pace at once, for workers that share a carrier's rate; undefined lifts it.
   *
   * @throws RangeError when the rate is not above 0
   */
  setSubmitsPerSecond(submitsPerSecond: number | undefined): void {
    this.rate.configure(submitsPerSecond, this.now());
    this.slots.progress();
  }

  close(graceMs: number): Promise<void> {
    this.slots.close();
    this.closed ??= Promise.all([this.transmitter.close(graceMs), this.receiver?.close(graceMs)]).then(() => undefined);
    return this.closed;
  }

  private createBind(role: BindRole, settings: CompleteSettings): SmppBind {
    const { dependencies } = this;
    const submits = role !== 'receiver';
    return new SmppBind(role, {
      settings,
      encoder: new SubmitEncoder({ ...settings, sender: senderAddress(settings.sender) }),
      log: dependencies.log,
      now: this.now,
      random: dependencies.random ?? Math.random,
      onReceipt: dependencies.onReceipt,
      onDelivery: dependencies.onDelivery,
      onBound: (session) => submits && this.slots.open(session),
      onLost: () => submits && this.slots.lose(),
      onOutcome: (outcome, submittedAtMs) => this.noteOutcome(outcome, submittedAtMs),
      onProgress: () => submits && this.slots.progress(),
      onTick: (nowMs) => submits && this.slots.tick(nowMs),
      onLateResponse: () => dependencies.onLateResponse?.(),
      onStateChange: (state) => dependencies.onStateChange?.(state, role),
    });
  }

  private noteOutcome(outcome: SubmitOutcome, submittedAtMs: number): void {
    const nowMs = this.now();
    if (outcome.kind === 'accepted') this.rate.onAccepted(nowMs);
    else if (outcome.kind === 'throttled') this.rate.onThrottled(nowMs, submittedAtMs);
    this.dependencies.onSubmit?.(nowMs - submittedAtMs, outcome.kind);
  }
}

/**
 * The carrier behind an SMPP account; `start` connects it.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function createSmppCarrier(settings: SmppCarrierSettings, dependencies: SmppCarrierDependencies): SmppCarrier {
  return new SmppCarrier(settings, dependencies);
}
