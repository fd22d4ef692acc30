import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Micros } from '#billing';
import { awaitFact } from '../harness/await-fact.js';
import { type EventReceiver, hearEvents } from '../harness/event-receiver.js';
import type { Facts } from '../harness/facts.js';
import type { SeededRandom } from '../harness/seeded-random.js';
import type { ServiceProcess } from '../harness/service-process.js';
import type { System } from '../harness/system.js';
import { type FaultAccount, openAccount } from './accounts.js';
import type { HistoryRecord } from './history/history.js';
import { type AttemptEnd, attempts } from './load/attempt.js';
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
  readonly gateway?: number | undefined;
  readonly account?: string;
}

const RECOVERY_TIMEOUT_MS = 180_000;
/** Sends of scenarios have numbers apart from those of the load. */
const FIRST_OWN_SEND = 1_000_000_000;

/** How long a fault lasts, at least and at most: usually, and in the short form. */
export interface Lengths {
  readonly usual: readonly [number, number];
  readonly short: readonly [number, number];
}

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
  /** The code that sends of some accounts are meant to be refused with in the end, by account. */
  readonly refusedFor = new Map<string, string>();
  /** How far the clock of a gateway was ahead. */
  clockAheadMs = 0;
  /** What accounts of a scenario itself were given, by id. */
  readonly deposits = new Map<string, Micros>();
  /** Segments that may have reached a handset twice by what was done. */
  duplicatesMax = 0;
  faults = 0;
  /** Names of the faults that were noted. */
  readonly kinds = new Set<string>();
  private ownSends = 0;
  private readonly turns = new Map<string, unknown[]>();
  private readonly beganAtMs = Date.now();
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
    private readonly historyFile: string,
  ) {
    this.system = stage.system;
    this.facts = stage.facts;
  }

  get seconds(): number {
    return Math.round((Date.now() - this.beganAtMs) / 1_000);
  }

  /** A window of each of so many workers was in flight, and what is in flight may be sent again. */
  allowWindow(workers = this.system.workers.length): void {
    this.duplicatesMax += workers * this.stage.carrierWindow;
  }

  /** Waits for the moment at which dispatch goes on: a carrier's answer that is younger than the given one. */
  awaitDispatch(fromMs: number): void {
    this.awaitRecovery('dispatch goes on', fromMs, () => this.facts.hasDispatchedSince(fromMs));
  }

  /** Writes down a fault at the moment at which it is done. */
  note(fault: string, detail = ''): number {
    this.faults += 1;
    this.kinds.add(fault);
    return this.record({ kind: 'fault', atMs: Date.now(), fault, detail });
  }

  mended(fault: string, detail = ''): number {
    return this.record({ kind: 'mended', atMs: Date.now(), fault, detail });
  }

  /** Into the history of the scenario. */
  record(record: HistoryRecord): number {
    appendFileSync(this.historyFile, `${JSON.stringify(record)}\n`);
    return record.atMs;
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
  lengthMs({ usual, short }: Lengths): number {
    return this.random.between(...(this.isShort ? short : usual));
  }

  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal });
  }

  /** Measured at the end of the run: the first send that is accepted after that moment, by that gateway or any. */
  awaitAccept(fromMs: number, by?: ServiceProcess): void {
    this.awaitedAccepts.push({ fromMs, gateway: by && this.system.gateways.indexOf(by) });
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

  /** kill -9 of a gateway, noted as that fault. It has recovered when it accepts again. */
  async killGateway(victim: ServiceProcess, fault: string, detail = victim.name): Promise<void> {
    const fromMs = this.note(fault, detail);
    await victim.kill();
    this.awaitAccept(fromMs, victim);
  }

  /** kill -9 of a worker with its window in flight, noted as that fault. */
  async killWorker(victim: ServiceProcess, fault: string, detail = victim.name): Promise<number> {
    const fromMs = this.note(fault, detail);
    this.allowWindow(1);
    await victim.kill();
    return fromMs;
  }

  /** SIGTERM, which has to lead to an orderly end. */
  async terminate(process: ServiceProcess): Promise<void> {
    const end = await process.terminate();
    if (end !== 0) this.complain(`${process.name} was asked to end and ended with ${end}`);
  }

  /** What comes next of these: each as often as the others, because a turn has all of them, shuffled by the seed. */
  nextOf<Kind>(name: string, kinds: readonly Kind[]): Kind {
    const turn = (this.turns.get(name) ?? []) as Kind[];
    if (turn.length === 0) turn.push(...this.random.shuffle(kinds));
    this.turns.set(name, turn);
    return turn.pop() as Kind;
  }

  /** An account that the scenario itself sends from. */
  async openAccount(name: string, creditLimit: Micros): Promise<FaultAccount> {
    const account = await openAccount(this.system, name, creditLimit);
    const { events } = this.stage;
    if (events !== undefined) await hearEvents(this.system.port, [account.apiKey], events.url, 'batch.completed');
    return account;
  }

  /** A message that the scenario itself sends, under one key, for as long as the caller wants to hear more. */
  send({ accountId, apiKey }: FaultAccount, recipient: string, sendInMs?: number): AsyncGenerator<AttemptEnd, never> {
    const send = FIRST_OWN_SEND + this.ownSends++;
    const name = `c${send}.0`;
    const messages = [{ name, recipient, segments: 1 }];
    const planned = { send, account: 0, gateway: send, isBatch: false, messages, texts: [`<${name}>`], sendInMs };
    const sender = {
      accountId,
      apiKey,
      ports: this.system.gatewayPorts,
      write: (one: HistoryRecord) => this.record(one),
    };
    return attempts(sender, planned, `own-${send}`);
  }
}
