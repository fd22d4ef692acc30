import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { BindState, BindStatus, CarrierDependencies } from '../carrier.js';
import { PacedCarrier } from '../pace/paced-carrier.js';
import { SparseLog } from '../sparse-log.js';
import { BindGroup } from './bind-group.js';
import { SubmitStatuses } from './error-codes.js';
import { completeSettings } from './setting-rules.js';
import type { SmppCarrierSettings } from './settings.js';
import { wireFormatOf } from './wire-format.js';

export interface SmppCarrierDependencies extends CarrierDependencies {
  /** Looks up the carrier's host; the system's resolver unless given. */
  readonly lookup?: LookupFunction;
}

/** A carrier that speaks SMPP 3.4, over any number of binds, each with its own window. */
export class SmppCarrier extends PacedCarrier {
  private readonly binds: BindGroup;

  /** @throws RangeError naming the setting that cannot work */
  constructor(settings: SmppCarrierSettings, dependencies: SmppCarrierDependencies) {
    const complete = completeSettings(settings);
    const { name, submitsPerSecond, responseTimeoutMs } = complete;
    super(name, wireFormatOf(complete), submitsPerSecond, dependencies, responseTimeoutMs);
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

  close(graceMs: number): Promise<void> {
    this.slots.close();
    return this.binds.close(graceMs);
  }
}
