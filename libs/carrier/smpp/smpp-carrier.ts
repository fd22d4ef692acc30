import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  type BindState,
  type BindStatus,
  Carrier,
  type CarrierDependencies,
  type SubmitOutcome,
  type SubmitSlot,
  type WireFormat,
} from '../carrier.js';
import { SparseLog } from '../sparse-log.js';
import { BindGroup } from './bind-group.js';
import { SubmitStatuses } from './error-codes.js';
import { completeSettings } from './setting-rules.js';
import type { SmppCarrierSettings } from './settings.js';
import { SubmitRate } from './submit-rate.js';
import { SubmitSlots } from './submit-slots.js';
import { wireFormatOf } from './wire-format.js';

export interface SmppCarrierDependencies extends CarrierDependencies {
  /** Looks up the carrier's host; the system's resolver unless given. */
  readonly lookup?: LookupFunction;
}

/** A carrier that speaks SMPP 3.4: one rate over any number of binds, each with its own window. */
export class SmppCarrier extends Carrier {
  readonly name: string;
  readonly wireFormat: WireFormat;
  private readonly rate: SubmitRate;
  private readonly slots: SubmitSlots;
  private readonly now: () => number;
  private readonly binds: BindGroup;

  /** @throws RangeError naming the setting that cannot work */
  constructor(
    settings: SmppCarrierSettings,
    private readonly dependencies: SmppCarrierDependencies,
  ) {
    super();
    const complete = completeSettings(settings);
    this.name = complete.name;
    this.wireFormat = wireFormatOf(complete);
    this.now = dependencies.now ?? (() => performance.now());
    this.rate = new SubmitRate(complete.submitsPerSecond, this.now());
    const onFree = () => dependencies.onSlotsFree?.();
    this.slots = new SubmitSlots(this.wireFormat, this.rate, this.now, onFree, complete.responseTimeoutMs);
    this.binds = new BindGroup({
      ...dependencies,
      settings: complete,
      statuses: new SubmitStatuses(complete.errorCodes),
      sparseLog: new SparseLog(dependencies.log),
      now: this.now,
      random: dependencies.random ?? Math.random,
      lookup: dependencies.lookup ?? lookup,
      slots: this.slots,
      onOutcome: (outcome, submittedAtMs) => this.noteOutcome(outcome, submittedAtMs),
    });
  }

  get state(): BindState {
    return this.binds.state;
  }

  override get bindStates(): readonly BindStatus[] {
    return this.binds.statuses;
  }

  start(): void {
    this.binds.start();
  }

  override setBinds(count: number): Promise<void> {
    return this.binds.resize(count);
  }

  takeSlots(max: number): SubmitSlot[] {
    return this.slots.take(max);
  }

  setSubmitsPerSecond(submitsPerSecond: number | undefined): void {
    this.rate.configure(submitsPerSecond, this.now());
    this.slots.progress();
  }

  close(graceMs: number): Promise<void> {
    this.slots.close();
    return this.binds.close(graceMs);
  }

  private noteOutcome(outcome: SubmitOutcome, submittedAtMs: number): void {
    const nowMs = this.now();
    if (outcome.kind === 'accepted') this.rate.onAccepted(nowMs);
    else if (outcome.kind === 'throttled') this.rate.onThrottled(nowMs, submittedAtMs);
    this.dependencies.onSubmit?.(nowMs - submittedAtMs, outcome.kind);
  }
}
