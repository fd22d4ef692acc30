import { awaitFact } from '../harness/await-fact.js';
import type { Facts } from '../harness/facts.js';
import type { LoadJob, LoadResult, RequestShape } from '../harness/load/job.js';
import type { LoadGenerator } from '../harness/load/load-generator.js';
import type { System } from '../harness/system.js';
import { coresBetween, MemorySampler, type MemoryTrend, memoryTrends, readUsage } from '../harness/usage.js';
import type { ForeignGateway } from './against/foreign-gateway.js';
import type { BenchOptions } from './command-line.js';
import type { Check, Figure, Window } from './figures.js';
import type { Accounts, BenchAccounts } from './fixtures.js';
import type { PageTimes } from './scenarios/time-pages.js';

const SAMPLE_EVERY_MS = 1_000;

/** A figure, and how a window of it is measured. */
export interface Lane {
  readonly figure: Omit<Figure, 'windows' | 'notes'>;
  readonly measure: () => Promise<Measured>;
}

export interface Measured {
  readonly window: Window;
  readonly notes?: Readonly<Record<string, number>>;
}

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
  /** Kinds of load that have run before. */
  private readonly warm = new Set<string>();
  /** Messages that were answered as accepted, by account: the database must hold exactly these. */
  private readonly answered = new Map<BenchAccounts, number>();

  constructor(
    readonly options: BenchOptions,
    readonly service: System,
    /** The yardstick: our framework and nothing behind it. */
    readonly echoPort: number,
    readonly generator: LoadGenerator,
    readonly facts: Facts,
    readonly accounts: Accounts,
    readonly signal: AbortSignal,
    readonly say: (line: string) => void,
    /** The gateway that the service is compared with, if any. */
    readonly foreign: ForeignGateway | undefined,
  ) {}

  add(figure: Figure): void {
    const first = this.options.discardedWindows;
    const kept = { ...figure, windows: figure.windows.slice(first), notes: sliceAll(figure.notes ?? {}, first) };
    this.figures.push(kept);
    const rates = kept.windows.map((window) => Math.round(window.perSecond));
    this.say(`${figure.title}: ${rates.join(', ')} ${figure.unit}/s`);
  }

  countAccepted(accounts: BenchAccounts, messages: number): void {
    this.answered.set(accounts, (this.answered.get(accounts) ?? 0) + messages);
  }

  acceptedByAccounts(): ReadonlyMap<BenchAccounts, number> {
    return this.answered;
  }

  /**
   * Windows of each in turns, each second turn backwards, so that what slows the machine for a while slows all of them.
   */
  async inTurns(lanes: readonly Lane[]): Promise<void> {
    const measured = new Map(lanes.map((lane) => [lane, [] as Measured[]]));
    for (let round = 0; round < this.options.windows; round += 1) {
      for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
        this.signal.throwIfAborted();
        measured.get(lane)?.push(await lane.measure());
      }
    }
    for (const [{ figure }, taken] of measured) this.add(figureOf(figure, taken));
  }

  /** One window of closed or open load. */
  async measure(
    job: Omit<LoadJob, 'mode' | 'warmupMs' | 'windowMs'>,
    mode: LoadJob['mode'] = 'closed',
  ): Promise<{ readonly result: LoadResult; readonly window: Window }> {
    const { warmupMs, windowMs } = this.options;
    const { kind } = job.request;
    const { warmup, window } = this.messagesMin(`${kind} ${job.port}`);
    const messages = weightOf(job.request);
    const answersMin = { warmup: Math.ceil(warmup / messages), window: Math.ceil(window / messages) };
    const whole = { ...job, mode, warmupMs, windowMs, answersMin };
    const { result, cores } = await this.watchCores(() => this.generator.run(whole));
    return { result, window: windowOf(result, cores) };
  }

  /** Waits until something holds. @throws Error when it does not in time, or a process of the service has ended */
  async until(name: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
    await awaitFact(name, timeoutMs, this.signal, () => {
      this.service.assertAlive();
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
    const { discarded, counted } = this.options.messagesMin;
    const isFirst = !this.warm.has(kind);
    this.warm.add(kind);
    return { warmup: isFirst ? discarded : 0, window: counted };
  }

  /**
   * Runs something and watches the memory of every process meanwhile.
   *
   * @param along what the trend is taken against: a value for a moment, in units of `per`
   * @param settlingShare of the samples at the start that do not count, because a process grows to what it needs then
   */
  async watchMemory(
    scenario: string,
    per: string,
    along: (atMs: number, fromMs: number) => number,
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
    const places = samples.map(({ atMs }) => along(atMs, fromMs));
    this.memory.push(...memoryTrends(scenario, samples, places, per));
  }

  /** Runs something and says how many cores each process kept busy meanwhile, on average. */
  async watchCores<Result>(work: () => Promise<Result>): Promise<{
    readonly result: Result;
    readonly cores: Readonly<Record<string, number>>;
    readonly elapsedMs: number;
  }> {
    this.signal.throwIfAborted();
    this.service.assertAlive();
    this.foreign?.assertAlive();
    const roots = this.roots();
    const before = readUsage(roots);
    const result = await work();
    const after = readUsage(roots);
    this.signal.throwIfAborted();
    this.service.assertAlive();
    this.foreign?.assertAlive();
    return { result, cores: coresBetween(before, after), elapsedMs: after.atMs - before.atMs };
  }
}

export function figureOf(figure: Lane['figure'], measured: readonly Measured[]): Figure {
  const names = new Set(measured.flatMap(({ notes = {} }) => Object.keys(notes)));
  const notes = [...names].map((name) => [name, measured.map((one) => one.notes?.[name] ?? Number.NaN)] as const);
  return { ...figure, windows: measured.map(({ window }) => window), notes: Object.fromEntries(notes) };
}

/** How many messages a request of that kind is worth: a page of them costs about as much as ten sends. */
function weightOf(request: RequestShape): number {
  if (request.kind === 'send-batch') return request.entries;
  return request.kind === 'read' ? 10 : 1;
}

function sliceAll(
  notes: Readonly<Record<string, readonly number[]>>,
  first: number,
): Record<string, readonly number[]> {
  return Object.fromEntries(Object.entries(notes).map(([name, values]) => [name, values.slice(first)]));
}

function windowOf(result: LoadResult, cores: Readonly<Record<string, number>>): Window {
  return {
    perSecond: result.answered / (result.windowMs / 1_000),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    p999Ms: result.p999Ms,
    unexpected: result.unexpected,
    cores,
  };
}
