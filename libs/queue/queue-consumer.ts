import { Worker } from 'bullmq';
import type { Config } from '#config';
import { queueOptions } from './queue-back-end.js';

export interface QueueConsumerSettings<Data> {
  readonly queueName: string;
  /** Jobs under way at a time. */
  readonly concurrency: number;
  /** Connections to PostgreSQL, beside the one on which it hears of jobs. */
  readonly connectionsMax?: number;
  /** Works on a job; when it throws, the job is offered again. */
  readonly work: (job: Data) => Promise<void>;
  /** The queue cannot be reached. BullMQ reconnects, and the sweeper offers what got lost. */
  readonly onQueueError: (error: unknown) => void;
  readonly onJobError: (error: unknown) => void;
}

/** What a worker that is let go may take; its connections may be dead, so nothing waits for it longer. */
const ABANDON_MAX_MS = 5_000;
/** How often a job may be taken over from a worker that died with it. */
const STALLED_MAX = 20;
/**
 * How long a job stays with a worker that is not heard of, and how often somebody looks for such jobs. What a queue handed out while
 * its answer got lost belongs to nobody, so with BullMQ's 30 s for either its orders would wait for up to a minute. Taken over
 * too early it costs a look at orders that others have.
 */
const LOCK_MS = 15_000;
const STALLED_EVERY_MS = 5_000;

/** Takes the jobs of one queue, on both back ends. It can be made anew when its connections have died without a word. */
export class QueueConsumer<Data> {
  private worker: Worker<Data> | undefined;
  private active = 0;
  private started = 0;
  /** Since when it could have started a job and has started none. */
  private idleSinceMs = performance.now();

  constructor(
    private readonly config: Config,
    private readonly settings: QueueConsumerSettings<Data>,
  ) {}

  get queueName(): string {
    return this.settings.queueName;
  }

  /** For how long it has had room for a job and started none; 0 while it has no room, or is stopped. */
  get idleMs(): number {
    const isBusy = this.worker === undefined || this.active >= this.settings.concurrency;
    return isBusy ? 0 : performance.now() - this.idleSinceMs;
  }

  /** Jobs that it has started in its life. */
  get startedJobs(): number {
    return this.started;
  }

  start(): void {
    const { queueName, concurrency, connectionsMax, onQueueError, onJobError } = this.settings;
    this.active = 0;
    this.idleSinceMs = performance.now();
    const worker: Worker<Data> = new Worker<Data>(queueName, (job) => this.process(worker, job.data), {
      ...queueOptions(this.config, 'consumer', queueName, connectionsMax),
      autorun: false,
      concurrency,
      maxStalledCount: STALLED_MAX,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_EVERY_MS,
    });
    worker.on('error', onQueueError);
    worker.on('failed', (_job, error) => onJobError(error));
    worker.run().catch(onQueueError);
    this.worker = worker;
  }

  /** Stops taking jobs and waits for those under way, at most for this long: a dead connection closes never. */
  async stop(waitMaxMs: number): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    if (worker !== undefined && !(await isOverWithin(worker.close(), waitMaxMs))) endConnections(worker);
  }

  /**
   * Lets the old connections go and takes jobs on new ones. Jobs under way go on; the queue gives them to somebody once more,
   * who finds their orders claimed.
   */
  async restart(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    if (worker !== undefined) {
      const closed = worker.close(true).catch(this.settings.onQueueError);
      if (!(await isOverWithin(closed, ABANDON_MAX_MS))) endConnections(worker);
    }
    this.start();
  }

  private async process(worker: Worker<Data>, job: Data): Promise<void> {
    const isCurrent = () => this.worker === worker;
    if (isCurrent()) this.begin();
    try {
      await this.settings.work(job);
    } finally {
      if (isCurrent()) this.end();
    }
  }

  private begin(): void {
    this.active += 1;
    this.started += 1;
    this.idleSinceMs = performance.now();
  }

  private end(): void {
    if (this.active >= this.settings.concurrency) this.idleSinceMs = performance.now();
    this.active -= 1;
  }
}

/**
 * Ends the connections of a worker whose `close` waits for an answer that will not come. Otherwise they connect again and
 * again, and the timer of the locks goes on, for as long as the process lives.
 */
function endConnections(worker: Worker): void {
  const { backend, lockManager } = worker as unknown as {
    readonly backend: { close(force: boolean): Promise<void> };
    readonly lockManager: { close(): Promise<void> };
  };
  for (const ended of [lockManager.close(), backend.close(true), worker.disconnect()]) ended.catch(() => undefined);
}

async function isOverWithin(work: Promise<void>, waitMaxMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMaxMs);
  });
  const isOver = await Promise.race([work.then(() => true), bound]);
  clearTimeout(timer);
  return isOver;
}
