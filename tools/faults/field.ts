import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Micros } from '#billing';
import { awaitFact } from '../harness/await-fact.js';
import type { EventReceiver } from '../harness/event-receiver.js';
import type { Facts } from '../harness/facts.js';
import type { SeededRandom } from '../harness/seeded-random.js';
import type { ServiceProcess } from '../harness/service-process.js';
import type { System } from '../harness/system.js';
import type { FaultAccount } from './accounts.js';
import type { FaultRecord } from './history/history.js';
import type { SmallDisk } from './small-disk.js';

/** The service as a scenario wants it, and what belongs to it. */
export interface Stage {
  readonly system: System;
  readonly facts: Facts;
  readonly accounts: readonly FaultAccount[];
  readonly carrierWindow: number;
  /** Where the database lies when the scenario asked for a small one. */
  readonly disk: SmallDisk | undefined;
  /** Where the accounts hear of their messages; undefined: the version that starts tells nobody. */
  readonly events: EventReceiver | undefined;
}

/** Service is back when a client's send is accepted; which one is found in the history afterwards. */
export interface AwaitedAccept {
  readonly fromMs: number;
  /** Index of the gateway, or undefined for any; the account, or undefined for any. */
  readonly gateway?: number;
  readonly account?: string;
}

const RECOVERY_TIMEOUT_MS = 180_000;

/** What a scenario works with: the processes, the seed, and its notes of faults and recoveries. */
export class Field {
  /** Measured on the spot. */
  readonly recoveriesMs: number[] = [];
  /** To be measured in the history. */
  readonly awaitedAccepts: AwaitedAccept[] = [];
  /** What went wrong with a recovery, a stop, or a fault itself. */
  readonly complaints: string[] = [];
  /** What a scenario has measured, each in words. */
  readonly measures: string[] = [];
  /** Histories of clients that a scenario has of its own. */
  readonly historyFiles: string[] = [];
  /** The code that sends of some accounts are meant to be refused with in the end, by account. */
  readonly refusedFor = new Map<string, string>();
  /** How far the clock of a gateway was ahead. */
  clockAheadMs = 0;
  /** What accounts of a scenario itself were given, by id. */
  readonly deposits = new Map<string, Micros>();
  faults = 0;
  private allowed = 0;
  private beganAtMs = Date.now();
  private readonly underWay = new Set<Promise<void>>();

  readonly system: System;
  readonly facts: Facts;

  constructor(
    readonly stage: Stage,
    readonly random: SeededRandom,
    readonly signal: AbortSignal,
    /** Whether waits of the scenario itself are to be short. */
    readonly isShort: boolean,
    /** Messages of a scenario about receipts. */
    readonly receipts: number,
    private readonly faultFile: string,
  ) {
    this.system = stage.system;
    this.facts = stage.facts;
  }

  /** The load begins now. */
  begin(): void {
    this.beganAtMs = Date.now();
  }

  get seconds(): number {
    return Math.round((Date.now() - this.beganAtMs) / 1_000);
  }

  /** Segments that may have reached a handset twice by what was done. */
  get duplicatesAllowed(): number {
    return this.allowed;
  }

  /** A window of each of so many workers was in flight, and what is in flight may be sent again. */
  allowWindow(workers = this.system.workers.length): void {
    this.allowed += workers * this.stage.carrierWindow;
  }

  /** So many segments were sent again by the rules, as the database says. */
  allowDuplicates(segments: number): void {
    this.allowed += segments;
  }

  /** Waits for the moment at which dispatch goes on: a carrier's answer that is younger than the given one. */
  awaitDispatch(fromMs: number): void {
    this.awaitRecovery('dispatch goes on', fromMs, () => this.facts.hasDispatchedSince(fromMs));
  }

  /** Writes down a fault at the moment at which it is done. */
  note(fault: string, detail = ''): number {
    this.faults += 1;
    return this.write('fault', fault, detail);
  }

  mended(fault: string, detail = ''): number {
    return this.write('mended', fault, detail);
  }

  /** Spoils something for so long, and mends it whatever happens. Resolves to when it was mended. */
  async spoil(
    fault: string,
    detail: string,
    lengthMs: number,
    begin: () => unknown,
    end: () => unknown,
  ): Promise<number> {
    this.note(fault, detail);
    try {
      await begin();
      await this.pause(lengthMs);
    } finally {
      await end();
    }
    return this.mended(fault, detail);
  }

  /** How long a fault is to last, by the seed. */
  lengthMs(usual: readonly [number, number], short: readonly [number, number]): number {
    return this.random.between(...(this.isShort ? short : usual));
  }

  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal });
  }

  /** Measured at the end of the run: the first send accepted after that moment. */
  awaitAccept(awaited: AwaitedAccept): void {
    this.awaitedAccepts.push(awaited);
  }

  /** Waits in the background until a fact holds, and keeps the time since the given moment. */
  awaitRecovery(name: string, fromMs: number, isRecovered: () => Promise<boolean>): void {
    const work = awaitFact(name, RECOVERY_TIMEOUT_MS, this.signal, () =>
      // A database that is away has not recovered either.
      isRecovered().catch(() => false),
    ).then(
      () => void this.recoveriesMs.push(Date.now() - fromMs),
      (error: unknown) => void (this.signal.aborted || this.complain(error)),
    );
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  complain(reason: unknown): void {
    this.complaints.push(reason instanceof Error ? reason.message : String(reason));
  }

  async recovered(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /**
   * One of these that is up. Now and then one that is still starting: a fault may come then as well.
   *
   * @throws when none is within a minute
   */
  async victim(of: readonly ServiceProcess[]): Promise<ServiceProcess> {
    if (this.random.chance(0.1)) return this.random.pick(of);
    const wanted = this.random.pick(of);
    return awaitFact(`one of ${of.map(({ name }) => name).join(', ')} is up`, 60_000, this.signal, async () => {
      return wanted.isReady ? wanted : of.find((other) => other.isReady);
    });
  }

  private write(kind: FaultRecord['kind'], fault: string, detail: string): number {
    const record: FaultRecord = { kind, atMs: Date.now(), fault, detail };
    appendFileSync(this.faultFile, `${JSON.stringify(record)}\n`);
    return record.atMs;
  }
}
