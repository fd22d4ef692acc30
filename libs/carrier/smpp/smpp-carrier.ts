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
import { systemLookup } from './addresses.js';
import { SmppBind } from './bind.js';
import { completeSettings } from './complete-settings.js';
import { SubmitStatuses } from './error-codes.js';
import type { BindRole } from './session-dependencies.js';
import { SETTING_RULES } from './setting-rules.js';
import type { CompleteSettings, SmppCarrierSettings } from './settings.js';
import { SubmitRate } from './submit-rate.js';
import { SubmitSlots } from './submit-slots.js';
import { SubmitEncoders, wireFormatOf } from './wire-format.js';

export interface SmppCarrierDependencies extends CarrierDependencies {
  /** Looks up the carrier's host; the system's resolver unless given. */
  readonly lookup?: LookupFunction;
  /** Called for a response that came after its submit was in doubt. */
  readonly onLateResponse?: () => void;
}

/** A transceiver, or a transmitter with its receiver. */
interface Member {
  readonly submitting: SmppBind;
  readonly all: readonly SmppBind[];
}

const BEST_FIRST: readonly BindState[] = ['bound', 'connecting', 'closing', 'down'];

/** A carrier that speaks SMPP 3.4: one rate over any number of binds, each with its own window. */
export class SmppCarrier extends Carrier {
  readonly name: string;
  readonly wireFormat: WireFormat;
  private readonly settings: CompleteSettings;
  private readonly encoders: SubmitEncoders;
  private readonly statuses: SubmitStatuses;
  private readonly rate: SubmitRate;
  private readonly slots: SubmitSlots;
  private readonly sparseLog: SparseLog;
  private readonly now: () => number;
  private members: readonly Member[] = [];
  private readonly leaving = new Map<Member, Promise<void>>();
  private isStarted = false;
  private closed: Promise<void> | undefined;
  private lastState: BindState = 'down';

  /** @throws RangeError naming the setting that cannot work */
  constructor(
    settings: SmppCarrierSettings,
    private readonly dependencies: SmppCarrierDependencies,
  ) {
    super();
    const complete = completeSettings(settings);
    this.settings = complete;
    this.name = complete.name;
    this.wireFormat = wireFormatOf(complete);
    this.now = dependencies.now ?? (() => performance.now());
    this.encoders = new SubmitEncoders(complete);
    this.statuses = new SubmitStatuses(complete.errorCodes);
    this.rate = new SubmitRate(complete.submitsPerSecond, this.now());
    this.slots = new SubmitSlots(complete.windowSize, complete.responseTimeoutMs, this.rate, this.now, () =>
      dependencies.onSlotsFree?.(),
    );
    this.sparseLog = new SparseLog(dependencies.log);
    this.members = Array.from({ length: complete.binds }, () => this.createMember());
  }

  /**
   * The state of the best submitting bind. Without its receiver a carrier still takes messages, and keeps the receipts.
   */
  get state(): BindState {
    const states = new Set([...this.members, ...this.leaving.keys()].map(({ submitting }) => submitting.state));
    return BEST_FIRST.find((state) => states.has(state)) ?? 'down';
  }

  override get bindStates(): readonly BindStatus[] {
    return [...this.members, ...this.leaving.keys()].flatMap(({ all }) => all.map(({ status }) => status));
  }

  /** Submits a second that the settings and the carrier's throttling allow now; Infinity when neither sets a limit. */
  get submitsPerSecondNow(): number {
    return this.rate.limitPerSecond;
  }

  start(): void {
    this.isStarted = true;
    for (const { all } of this.members) for (const bind of all) bind.start();
  }

  override async setBinds(count: number): Promise<void> {
    const fault = SETTING_RULES.binds(count);
    if (fault !== undefined) throw new RangeError(`carrier ${this.name}: binds ${fault}`);
    if (this.closed === undefined) {
      // Closes binds that are not up first, because nothing is lost with them.
      const worstLast = [...this.members].sort(
        (one, other) => BEST_FIRST.indexOf(one.submitting.state) - BEST_FIRST.indexOf(other.submitting.state),
      );
      const added = Array.from({ length: count - this.members.length }, () => this.createMember());
      this.members = [...worstLast.slice(0, count), ...added];
      for (const surplus of worstLast.slice(count)) this.letGo(surplus);
      if (this.isStarted) for (const { all } of added) for (const bind of all) bind.start();
      this.noteState();
    }
    await Promise.all(this.leaving.values());
  }

  takeSlots(max: number): SubmitSlot[] {
    return this.slots.take(max);
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
    this.closed ??= Promise.all(
      [...this.members, ...this.leaving.keys()].flatMap(({ all }) => all.map((bind) => bind.close(graceMs))),
    ).then(() => undefined);
    return this.closed;
  }

  private letGo(member: Member): void {
    const session = member.submitting.currentSession;
    if (session !== undefined) this.slots.retire(session);
    const graceMs = this.settings.responseTimeoutMs;
    // The receiver stays as long as its transmitter, because it may bring the receipts of its submits.
    const gone = (async () => {
      await member.submitting.close(graceMs);
      await Promise.all(member.all.map((bind) => bind.close(0)));
      this.leaving.delete(member);
      this.noteState();
    })();
    this.leaving.set(member, gone);
  }

  private createMember(): Member {
    if (this.settings.bindMode === 'transceiver') {
      const transceiver = this.createBind('transceiver');
      return { submitting: transceiver, all: [transceiver] };
    }
    const transmitter = this.createBind('transmitter');
    return { submitting: transmitter, all: [transmitter, this.createBind('receiver')] };
  }

  private createBind(role: BindRole): SmppBind {
    const { dependencies, settings, encoders, statuses } = this;
    const submits = role !== 'receiver';
    return new SmppBind(role, {
      settings,
      encoders,
      statuses,
      log: dependencies.log,
      sparseLog: this.sparseLog,
      now: this.now,
      random: dependencies.random ?? Math.random,
      lookup: dependencies.lookup ?? systemLookup,
      onReceipt: dependencies.onReceipt,
      onInbound: dependencies.onInbound,
      onDelivery: dependencies.onDelivery,
      onBound: (session) => submits && this.slots.open(session),
      onLost: (session) => submits && this.slots.lose(session),
      isInUse: (session) => submits && this.slots.isInUse(session),
      onOutcome: (outcome, submittedAtMs) => this.noteOutcome(outcome, submittedAtMs),
      onProgress: () => submits && this.slots.progress(),
      onTick: (nowMs) => submits && this.slots.tick(nowMs),
      onLateResponse: () => dependencies.onLateResponse?.(),
      onStateChange: () => this.noteState(),
      onFault: (reason) => dependencies.onFault?.(reason),
    });
  }

  private noteState(): void {
    const { state } = this;
    if (state === this.lastState) return;
    this.lastState = state;
    this.dependencies.onStateChange?.(state);
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
