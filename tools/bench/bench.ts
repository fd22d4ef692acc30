import type { Teardown } from '../../scripts/supervisor/teardown.js';
import { awaitFact } from '../harness/await-fact.js';
import type { Facts } from '../harness/facts.js';
import type { LoadJob, RequestShape } from '../harness/load/job.js';
import type { LoadGenerator } from '../harness/load/load-generator.js';
import { median } from '../harness/statistics.js';
import type { System } from '../harness/system.js';
import { coresBetween, MemorySampler, type MemoryTrend, memoryTrends, readUsage } from '../harness/usage.js';
import type { ForeignGateway } from './against/foreign-gateway.js';
import type { BenchOptions } from './command-line.js';
import type { About, Check, Figure, PageTimes, Window } from './figures.js';
import type { Accounts, BenchAccounts } from './fixtures.js';

const SAMPLE_EVERY_MS = 1_000;

/** A figure, and how a window of it is measured. */
export interface Lane extends About {
  readonly measure: () => Promise<Window>;
  /** Gets rid of what its windows have shared. */
  readonly close?: () => Promise<void>;
}

/** Requests that are sent over and over: what the generator is told of a load. */
export interface Target {
  readonly port: number;
  readonly request: RequestShape;
  readonly expectedStatus: number;
  readonly connections: number;
}

/** A load, and who sends it where that is ours: then the database must hold what was answered. */
export interface Load extends Target {
  readonly accounts?: BenchAccounts;
}

/** A window of load, and how many requests were answered as expected in all, the warm-up's and the last ones too. */
export interface LoadWindow extends Window {
  readonly answeredInAll: number;
}

/** What the slope of memory is taken against: the value of a moment, in units of `per`. */
interface MemoryAxis {
  readonly per: string;
  readonly at: (atMs: number, fromMs: number) => number;
}
export const MINUTES: MemoryAxis = { per: 'minute', at: (atMs, fromMs) => (atMs - fromMs) / 60_000 };
export const HOURS: MemoryAxis = { per: 'hour', at: (atMs, fromMs) => (atMs - fromMs) / 3_600_000 };

/** What every bench of a run shares. */
export type BenchRun = Pick<Bench, 'options' | 'generator' | 'teardown' | 'signal' | 'say'>;

/** What every scenario works with. */
export class Bench {
  readonly figures: Figure[] = [];
  /** What scenarios have checked themselves. */
  readonly checks: Check[] = [];
  readonly memory: MemoryTrend[] = [];
  readonly pages: PageTimes[] = [];
  /** The same on a filled database, to be checked like this one. */
  filled: Bench | undefined;
  /** Programs of the harness that scenarios have started, by their number. */
  readonly programs = new Map<number, string>();
  /** Messages that were answered as accepted, by account: the database must hold exactly these. */
  readonly accepted = new Map<BenchAccounts, number>();
  /** Kinds of load that have run before. */
  private readonly warm = new Set<string>();

  constructor(
    readonly options: BenchOptions,
    readonly generator: LoadGenerator,
    readonly teardown: Teardown,
    readonly signal: AbortSignal,
    readonly say: (line: string) => void,
    readonly service: System,
    /** The yardstick: our framework and nothing behind it. */
    readonly echoPort: number,
    readonly facts: Facts,
    readonly accounts: Accounts,
    /** The gateway that the service is compared with, if any. */
    readonly foreign: ForeignGateway | undefined,
  ) {}

  add(figure: Figure): void {
    // A figure of a single window has none to spare.
    const discarded = Math.min(this.options.discardedWindows, figure.windows.length - 1);
    const windows = figure.windows.slice(discarded);
    this.figures.push({ ...figure, windows, discarded: figure.windows.slice(0, discarded) });
    const rates = windows.map(({ perSecond }) => Math.round(perSecond));
    this.say(`${figure.title}: ${rates.join(', ')} ${figure.unit ?? 'messages'}/s`);
  }

  /** What a figure of this run has reached a second. */
  medianOf(id: string): number {
    const { windows = [] } = this.figures.find((figure) => figure.id === id) ?? {};
    return median(windows.map(({ perSecond }) => perSecond));
  }

  check(name: string, ok: boolean, detail: string): void {
    this.checks.push({ name, ok, detail });
  }

  countAccepted(accounts: BenchAccounts, messages: number): void {
    this.accepted.set(accounts, (this.accepted.get(accounts) ?? 0) + messages);
  }

  countAnswered({ accounts, request }: Load, answers: number): void {
    if (accounts !== undefined) this.countAccepted(accounts, answers * entriesOf(request));
  }

  /** What is taken of so many windows, one after the other. */
  async eachWindow<Taken>(take: () => Promise<Taken>): Promise<Taken[]> {
    const taken: Taken[] = [];
    for (let round = 0; round < this.options.windows; round += 1) taken.push(await take());
    return taken;
  }

  /**
   * Windows of each in turns, each second turn backwards, so that what slows the machine for a while slows all of them.
   */
  async inTurns(lanes: readonly Lane[]): Promise<void> {
    const measured = lanes.map((lane) => ({ lane, windows: [] as Window[] }));
    let isBackwards = false;
    await this.eachWindow(async () => {
      for (const { lane, windows } of isBackwards ? measured.toReversed() : measured) {
        this.signal.throwIfAborted();
        windows.push(await lane.measure());
      }
      isBackwards = !isBackwards;
    });
    for (const { lane, windows } of measured) {
      const { measure: _measure, close, ...about } = lane;
      await close?.();
      this.add({ ...about, windows });
    }
  }

  /** One window of load, closed unless told otherwise. What ours has accepted of it is counted. */
  async measure(
    load: Load,
    how: Pick<LoadJob, 'mode' | 'everyMs' | 'perSecond'> = { mode: 'closed' },
  ): Promise<LoadWindow> {
    const { warmupMs, windowMs } = this.options;
    const { request } = load;
    const { warmup, window } = this.messagesMin(`${request.kind} ${load.port}`);
    // A page of messages costs about as much as ten sends.
    const weight = request.kind === 'read' ? 10 : entriesOf(request);
    const answersMin = { warmup: Math.ceil(warmup / weight), window: Math.ceil(window / weight) };
    const job = { ...targetOf(load), ...how, warmupMs, windowMs, answersMin };
    const { result, cores } = await this.watchCores(() => this.generator.run(job));
    const { answered, answeredInAll, p50Ms, p99Ms, p999Ms, unexpected } = result;
    this.countAnswered(load, answeredInAll);
    const perSecond = (answered * entriesOf(request)) / (result.windowMs / 1_000);
    return { perSecond, p50Ms, p99Ms, p999Ms, unexpected, cores, answeredInAll };
  }

  /** Waits until something holds. @throws Error when it does not in time, or a process of the service has ended */
  async until(name: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
    await awaitFact(name, timeoutMs, this.signal, () => {
      this.assertAlive();
      return holds();
    });
  }

  /** Every process of this run by its number; of servers the one whose children the others are. */
  roots(): Map<number, string> {
    return new Map([
      ...this.service.pids(),
      ...(this.foreign?.pids() ?? []),
      ...this.programs,
      [this.generator.pid, 'generator'] as const,
      [process.pid, 'bench'] as const,
    ]);
  }

  /**
   * How many messages a window has to hold, and its warm-up: the first of a kind finds code that is still being
   * compiled.
   */
  messagesMin(kind: string): { readonly warmup: number; readonly window: number } {
    const { firstWarmup, counted } = this.options.messagesMin;
    const isFirst = !this.warm.has(kind);
    this.warm.add(kind);
    return { warmup: isFirst ? firstWarmup : 0, window: counted };
  }

  /**
   * Runs something and watches the memory of every process meanwhile.
   *
   * @param settlingShare of the samples at the start that do not count, because a process grows to what it needs then
   */
  async watchMemory(
    scenario: string,
    { per, at }: MemoryAxis,
    work: () => Promise<unknown>,
    settlingShare = 0,
  ): Promise<void> {
    const sampler = new MemorySampler(() => this.roots(), SAMPLE_EVERY_MS);
    try {
      await work();
    } finally {
      sampler.stop();
    }
    const samples = sampler.samples.slice(Math.floor(sampler.samples.length * settlingShare));
    const fromMs = samples[0]?.atMs ?? 0;
    const places = samples.map(({ atMs }) => at(atMs, fromMs));
    this.memory.push(...memoryTrends(scenario, samples, places, per));
  }

  /** Runs something and says how many cores each process kept busy meanwhile, on average. */
  async watchCores<Result>(work: () => Promise<Result>): Promise<{
    readonly result: Result;
    readonly cores: Readonly<Record<string, number>>;
    readonly elapsedMs: number;
  }> {
    this.assertAlive();
    const roots = this.roots();
    const before = readUsage(roots);
    const result = await work();
    const after = readUsage(roots);
    this.assertAlive();
    return { result, cores: coresBetween(before, after), elapsedMs: after.atMs - before.atMs };
  }

  /** @throws Error when a process has ended, or the run is to end */
  private assertAlive(): void {
    this.signal.throwIfAborted();
    this.service.assertAlive();
    this.foreign?.assertAlive();
  }
}

/** What the generator needs to know of a load. */
export function targetOf({ port, request, expectedStatus, connections }: Target): Target {
  return { port, request, expectedStatus, connections };
}

/** Messages of one request, or its one answer. */
function entriesOf(request: RequestShape): number {
  return request.kind === 'send-batch' ? request.entries : 1;
}
