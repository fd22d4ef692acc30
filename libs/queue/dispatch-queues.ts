import { EventEmitter } from 'node:events';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type JobsOptions, Queue } from 'bullmq';
import type { Config } from '#config';
import { answered } from './answered.js';
import { closeQueue } from './end-connections.js';
import { haveLostJobs } from './lost-jobs.js';
import { queueOptions } from './queue-back-end.js';
import { carrierQueueName, FEEDER_QUEUE } from './queue-names.js';

/**
 * A job tells a worker to look at these orders. It holds ids only: a queue stores its jobs in clear and boards show
 * them, and the orders themselves say whether anything is left to do.
 */
export interface DispatchJob {
  readonly ids: readonly string[];
}

/** Jobs with single messages are `interactive`. They go before jobs with batches, which are `bulk`. */
export type JobLane = 'interactive' | 'bulk';

/** Orders in one job at most. A job costs the queue as much as about fifty ids, so orders of one commit share jobs. */
export const DISPATCH_JOB_IDS_MAX = 50;

/** For every `addBulk` in PostgreSQL BullMQ makes two temporary tables, which costs more than a few single jobs. */
const BULK_MIN = 8;

/** BullMQ takes jobs without a priority first, then those with the lowest number. */
const BULK_PRIORITY = 1;

/** BullMQ tries a failed job again. The last failures stay, so that a board shows their reasons. */
const DISPATCH_JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: { count: 100, age: 24 * 3_600 },
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
} as const satisfies JobsOptions;

/** One such job waits at a time, however often the feeder is woken. Without it the feeder looks by its own clock. */
const FEEDER_JOB_OPTIONS = { jobId: 'feed', removeOnComplete: true, removeOnFail: true } as const satisfies JobsOptions;

export function laneOf(job: { readonly opts: JobsOptions }): JobLane {
  return job.opts.priority === undefined || job.opts.priority === 0 ? 'interactive' : 'bulk';
}

/** Jobs of one queue, by how they stand. */
export type QueueDepth = Readonly<Record<JobLane | 'delayed' | 'active', number>>;

/**
 * The queues between accepted orders and the carriers: one for each carrier, and one that wakes the feeder. A job that
 * is lost or doubled loses or doubles no message. Every call that asks the queue throws when it has no answer in time.
 */
@Injectable()
export class DispatchQueues implements OnApplicationShutdown {
  readonly feeder: Queue;
  /** By name; each is opened when it is first needed. */
  private readonly ofCarriers = new Map<string, Queue<DispatchJob>>();
  /** `fault`: why a connection cannot be made or has ended. Calls that need it fail, without the reason. */
  readonly events = new EventEmitter<{ fault: [Error] }>();

  constructor(private readonly config: Config) {
    this.feeder = this.open(FEEDER_QUEUE);
  }

  /**
   * Puts orders on a carrier's queue. If that fails, the caller puts the orders into the backlog.
   *
   * @param idsPerJob fewer make a slow carrier's jobs short
   */
  async enqueue(
    carrier: string,
    lane: JobLane,
    ids: readonly string[],
    idsPerJob = DISPATCH_JOB_IDS_MAX,
  ): Promise<void> {
    const queue = this.of(carrier);
    const opts = lane === 'bulk' ? { ...DISPATCH_JOB_OPTIONS, priority: BULK_PRIORITY } : DISPATCH_JOB_OPTIONS;
    const jobs: { name: string; data: DispatchJob; opts: JobsOptions }[] = [];
    for (let from = 0; from < ids.length; from += idsPerJob) {
      jobs.push({ name: 'dispatch', data: { ids: ids.slice(from, from + idsPerJob) }, opts });
    }
    await answered(
      jobs.length >= BULK_MIN
        ? queue.addBulk(jobs)
        : Promise.all(jobs.map(({ name, data }) => queue.add(name, data, opts))),
    );
  }

  /** A caller may ignore a failure: the feeders look for backlogs by themselves. */
  async wakeFeeder(): Promise<void> {
    await answered(this.feeder.add('feed', {}, FEEDER_JOB_OPTIONS));
  }

  async depthOf(carrier: string): Promise<QueueDepth> {
    const counts = await answered(this.of(carrier).getJobCounts('waiting', 'prioritized', 'delayed', 'active'));
    const { waiting: interactive = 0, prioritized: bulk = 0, delayed = 0, active = 0 } = counts;
    return { interactive, bulk, delayed, active };
  }

  /** Moves the first bulk jobs before all others: the share that bulk keeps while interactive jobs never end. */
  async promoteBulk(carrier: string, count: number): Promise<void> {
    const jobs = await answered(this.of(carrier).getJobs(['prioritized'], 0, count - 1, true));
    // One that a worker takes at this moment cannot be moved, and need not be.
    await Promise.all(jobs.map((job) => job?.changePriority({ priority: 0, lifo: true }).catch(() => undefined)));
  }

  async ping(): Promise<void> {
    await answered(this.feeder.getJobCounts('waiting'));
  }

  /** Whether the queues may have lost their jobs since a process last asked; only the first one that asks gets true. */
  hasLostEverything(): Promise<boolean> {
    return haveLostJobs([this.feeder, ...this.ofCarriers.values()]);
  }

  /** BullMQ's own queue of a carrier, for boards that show it. */
  of(carrier: string): Queue<DispatchJob> {
    const known = this.ofCarriers.get(carrier);
    if (known !== undefined) return known;
    const queue = this.open(carrierQueueName(carrier));
    this.ofCarriers.set(carrier, queue);
    return queue;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.feeder, ...this.ofCarriers.values()].map(closeQueue));
  }

  private open(name: string): Queue<DispatchJob> {
    const queue = new Queue<DispatchJob>(name, queueOptions(this.config, 'producer', name));
    // Without a listener Node would end the process.
    queue.on('error', (fault) => this.events.emit('fault', fault));
    return queue;
  }
}
