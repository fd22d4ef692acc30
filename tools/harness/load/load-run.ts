import { setTimeout as delay } from 'node:timers/promises';
import { atRate } from '../pace.js';
import { percentiles } from '../statistics.js';
import type { LoadJob, LoadResult } from './job.js';
import { KeepAliveConnection } from './keep-alive-connection.js';
import { encodeRequests } from './requests.js';

/** How long responses may take that were still under way when the load ended. */
export const DRAIN_TIMEOUT_MS = 15_000;
/** How much longer than asked for a warm-up or a window may last for want of answers. */
export const WAIT_FOR_ANSWERS_MS = 10_000;
/** Connections that break this often mean that nothing is there to be measured. */
const BREAKS_MAX = 1_000;

/** One job: opens the connections, keeps each busy, counts, and lets the last responses come in. */
export class LoadRun {
  private readonly requests: readonly Buffer[];
  private readonly open = new Set<KeepAliveConnection>();
  private readonly idle: KeepAliveConnection[] = [];
  private readonly latenciesMs: number[] = [];
  private readonly unexpected: Record<string, number> = {};
  private next = 0;
  private busy = 0;
  private breaks = 0;
  private budget: number;
  private startedAt = 0;
  private answeredInAll = 0;
  /** The window: of what was answered in it, or of an open load of what was due in it. */
  private fromMs = Number.POSITIVE_INFINITY;
  private toMs = Number.POSITIVE_INFINITY;
  private isStopping = false;
  /** Of an open load: when each request was due that waits for a connection. */
  private readonly due: number[] = [];
  private stopClock: () => void = () => undefined;

  constructor(private readonly job: LoadJob) {
    this.requests = encodeRequests(job.request, job.port);
    this.budget = job.mode === 'fed' || job.mode === 'open' ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Closed or open load: warm-up, window, last responses. */
  async run(): Promise<LoadResult> {
    this.start();
    const { answersMin = { warmup: 0, window: 0 } } = this.job;
    await delay(this.job.warmupMs);
    await until(() => this.answeredInAll >= answersMin.warmup);
    this.fromMs = performance.now();
    this.toMs = Number.POSITIVE_INFINITY;
    await delay(this.job.windowMs);
    await until(() => this.latenciesMs.length >= answersMin.window);
    this.toMs = performance.now();
    this.stopClock();
    // What was due in the window belongs to it, however late it is sent.
    await until(() => this.due.length === 0);
    return this.finish(this.toMs - this.fromMs);
  }

  start(): void {
    this.startedAt = performance.now();
    for (let index = 0; index < this.job.connections; index++) this.connect();
    if (this.job.mode !== 'open') return;
    this.stopClock = atRate(this.job.perSecond ?? 1, (dueMs) => {
      this.due.push(dueMs);
      this.grant(1);
    });
  }

  /** Fed load: that many more requests may be sent. */
  grant(requests: number): void {
    this.budget += requests;
    for (;;) {
      if (this.budget < 1) return;
      // The one that has rested longest: a server closes those on which nothing comes for a minute.
      const connection = this.idle.shift();
      if (connection === undefined) return;
      this.sendNext(connection);
    }
  }

  /** Sends nothing more, and resolves when what was under way is answered. */
  async finish(windowMs = 0): Promise<LoadResult> {
    this.isStopping = true;
    this.stopClock();
    await until(() => this.busy === 0, DRAIN_TIMEOUT_MS);
    if (this.busy > 0) this.count('no response', this.busy);
    if (this.due.length > 0) this.count('due and not sent', this.due.length);
    for (const connection of this.open) connection.close();
    return {
      windowMs,
      answered: this.latenciesMs.length,
      answeredInAll: this.answeredInAll,
      unexpected: this.unexpected,
      ...percentiles(this.latenciesMs),
    };
  }

  private connect(): void {
    const connection = new KeepAliveConnection(this.job.port, {
      answered: (answering, status, latencyMs) => this.onAnswered(answering, status, latencyMs),
      broken: (broken, code, wasBusy) => this.onBroken(broken, code, wasBusy),
    });
    this.open.add(connection);
    this.sendNext(connection);
  }

  private sendNext(connection: KeepAliveConnection): void {
    if (this.isStopping) return;
    if (this.budget < 1) {
      this.idle.push(connection);
      return;
    }
    const request = this.requests[this.next];
    if (request === undefined) throw new Error('a job has at least one request');
    this.next = (this.next + 1) % this.requests.length;
    this.budget--;
    this.busy++;
    connection.send(request, this.due.shift());
  }

  private onAnswered(connection: KeepAliveConnection, status: number, latencyMs: number): void {
    this.busy--;
    if (status === this.job.expectedStatus) {
      this.answeredInAll++;
      const endedAtMs = performance.now();
      const atMs = this.job.mode === 'open' ? endedAtMs - latencyMs : endedAtMs;
      if (atMs >= this.fromMs && atMs < this.toMs) this.latenciesMs.push(latencyMs);
    } else {
      this.count(String(status), 1);
    }
    this.sendAfterAnswer(connection);
  }

  private sendAfterAnswer(connection: KeepAliveConnection): void {
    const everyMs = this.job.mode === 'paced' ? (this.job.everyMs ?? 0) : 0;
    if (everyMs === 0) {
      this.sendNext(connection);
      return;
    }
    // Whatever an answer took, the next request is due on the same grid.
    const waitMs = everyMs - ((performance.now() - this.startedAt) % everyMs);
    setTimeout(() => this.open.has(connection) && this.sendNext(connection), waitMs);
  }

  private onBroken(connection: KeepAliveConnection, code: string, wasBusy: boolean): void {
    this.open.delete(connection);
    const position = this.idle.indexOf(connection);
    if (position !== -1) this.idle.splice(position, 1);
    if (wasBusy) this.busy--;
    if (this.isStopping) return;
    this.count(code, 1);
    if (++this.breaks < BREAKS_MAX) setTimeout(() => this.isStopping || this.connect(), 10);
  }

  private count(name: string, times: number): void {
    this.unexpected[name] = (this.unexpected[name] ?? 0) + times;
  }
}

/** Waits until something holds, but for no longer than that. */
export async function until(holds: () => boolean, timeoutMs = WAIT_FOR_ANSWERS_MS): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!holds() && performance.now() < deadline) await delay(20);
}
