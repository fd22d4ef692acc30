import type { BenchDatabase } from './bench-database.js';
import type { BenchOptions } from './command-line.js';
import { type ProcessTime, readProcessTimes, secondsByRoot } from './cpu-time.js';
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
  async measure(job: Omit<LoadJob, 'mode' | 'warmupMs' | 'windowMs'>, mode: LoadJob['mode'] = 'closed') {
    const { warmupMs, windowMs } = this.options;
    const { result, cores } = await this.watchCores(() => this.generator.run({ ...job, mode, warmupMs, windowMs }));
    return { result, window: windowOf(result, cores) };
  }

  /** Runs something and says how many cores each process kept busy meanwhile, on average. */
  async watchCores<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly cores: Readonly<Record<string, number>> }> {
    this.signal.throwIfAborted();
    this.service.assertAlive();
    const timesBefore = readProcessTimes();
    const roots = new Map([
      ...this.service.pids(),
      ...redisPids(timesBefore),
      [this.generator.pid, 'generator'] as const,
    ]);
    const startedAt = performance.now();
    const before = secondsByRoot(timesBefore, roots);
    const result = await work();
    const after = secondsByRoot(readProcessTimes(), roots);
    const seconds = (performance.now() - startedAt) / 1_000;
    this.signal.throwIfAborted();
    this.service.assertAlive();
    const cores = [...after].map(([name, used]) => [name, round((used - (before.get(name) ?? 0)) / seconds)] as const);
    return { result, cores: Object.fromEntries(cores.filter(([, used]) => used > 0)) };
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
function redisPids(times: readonly ProcessTime[]): [number, string][] {
  return times.filter(isOwnRedis).map(({ pid }) => [pid, 'redis']);
}

function isOwnRedis({ parent, name }: ProcessTime): boolean {
  return parent === process.pid && /^(redis|valkey)-server/.test(name);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
