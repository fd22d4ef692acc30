import type { ForeignGateway } from './against/foreign-gateway.js';
import type { BenchDatabase } from './bench-database.js';
import type { BenchOptions } from './command-line.js';
import { coresBetween, readProcessTimes, readUsage } from './cpu-time.js';
import type { Figure, Window } from './figures.js';
import type { LoadJob, LoadResult } from './generator/job.js';
import type { LoadGenerator } from './generator/load-generator.js';
import type { Accounts, BenchAccount } from './service/fixtures.js';
import type { Service } from './service/service.js';

/** What every scenario works with. */
export class Bench {
  readonly figures: Figure[] = [];
  /** Messages that were answered as accepted, by account: the database must hold exactly these. */
  private readonly answered = new Map<BenchAccount, number>();

  constructor(
    readonly options: BenchOptions,
    readonly service: Service,
    readonly generator: LoadGenerator,
    readonly database: BenchDatabase,
    readonly accounts: Accounts,
    readonly signal: AbortSignal,
    readonly say: (line: string) => void,
    /** The gateway that the service is compared with, if any. */
    readonly foreign: ForeignGateway | undefined,
  ) {}

  add(figure: Figure): void {
    this.figures.push(figure);
    const rates = figure.windows.map((window) => Math.round(window.perSecond));
    this.say(`${figure.title}: ${rates.join(', ')} ${figure.unit}/s`);
  }

  countAccepted(account: BenchAccount, messages: number): void {
    this.answered.set(account, (this.answered.get(account) ?? 0) + messages);
  }

  acceptedByAccount(): ReadonlyMap<BenchAccount, number> {
    return this.answered;
  }

  /** One window of closed load. */
  async measure(
    job: Omit<LoadJob, 'mode' | 'warmupMs' | 'windowMs'>,
    mode: LoadJob['mode'] = 'closed',
  ): Promise<{ readonly result: LoadResult; readonly window: Window }> {
    const { warmupMs, windowMs } = this.options;
    const { result, cores } = await this.watchCores(() => this.generator.run({ ...job, mode, warmupMs, windowMs }));
    return { result, window: windowOf(result, cores) };
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
    const roots = new Map([
      ...this.service.pids(),
      ...(this.foreign?.pids() ?? []),
      ...redisPids(),
      [this.generator.pid, 'generator'] as const,
    ]);
    const before = readUsage(roots);
    const result = await work();
    const after = readUsage(roots);
    this.signal.throwIfAborted();
    this.service.assertAlive();
    this.foreign?.assertAlive();
    return { result, cores: coresBetween(before, after), elapsedMs: after.atMs - before.atMs };
  }
}

function windowOf(result: LoadResult, cores: Readonly<Record<string, number>>): Window {
  return {
    perSecond: result.answered / (result.windowMs / 1_000),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    unexpected: result.unexpected,
    cores,
  };
}

/** The Redis that was started for this run is a child of this process. */
function redisPids(): [number, string][] {
  return readProcessTimes()
    .filter(({ parent, name }) => parent === process.pid && /^(redis|valkey)-server/.test(name))
    .map(({ pid }) => [pid, 'redis']);
}
