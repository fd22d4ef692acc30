import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Queue, RedisQueueBackend } from 'bullmq';
import type { Config } from '#config';
import {
  carrierQueueName,
  DISPATCH_JOB_IDS_MAX,
  type DispatchJob,
  dispatchJobOptions,
  FEEDER_JOB_OPTIONS,
  FEEDER_QUEUE,
  type JobPriority,
} from './dispatch-job.js';
import { queueOptions } from './queue-back-end.js';

/** Jobs of one queue, by how they stand. */
export interface QueueDepth {
  readonly interactive: number;
  readonly bulk: number;
  readonly delayed: number;
  readonly active: number;
}

/** Jobs that go into a queue together. */
export interface NewJobs {
  readonly priority: JobPriority;
  readonly ids: readonly string[];
  /** Ids in one job; fewer make a slow carrier's jobs short. */
  readonly idsPerJob?: number;
}

/** The queue did not answer in time; whether it took what it was given is unknown, and does not matter. */
export class QueueUnavailable extends Error {}

const ANSWER_MAX_MS = 2_000;

/**
 * The queues between accepted orders and the carriers: one for each carrier, and one that wakes the feeder. Losing or doubling
 * a job loses and doubles nothing else.
 */
@Injectable()
export class DispatchQueues implements OnApplicationShutdown {
  /** By name; each is opened when it is first needed. */
  private readonly ofCarriers = new Map<string, Queue<DispatchJob>>();

  constructor(
    private readonly config: Config,
    @InjectQueue(FEEDER_QUEUE) readonly feeder: Queue,
  ) {
    // Without a listener Node would end the process; outages are seen in calls that fail and in health.
    feeder.on('error', () => undefined);
  }

  /**
   * Puts orders on a carrier's queue.
   *
   * @throws when the queue cannot be reached; then the caller puts the orders into the backlog
   */
  async enqueue(carrier: string, jobs: readonly NewJobs[], isTest = false): Promise<void> {
    await addJobs(
      this.of(carrier),
      jobs.flatMap(({ ids, priority, idsPerJob = DISPATCH_JOB_IDS_MAX }) =>
        chunks(ids, idsPerJob).map((chunk) => ({
          name: 'dispatch',
          data: { ids: chunk, ...(isTest && { isTest: true as const }) },
          opts: dispatchJobOptions(priority),
        })),
      ),
    );
  }

  /** @throws when the queue cannot be reached; the feeders look for backlogs by themselves */
  async wakeFeeder(): Promise<void> {
    await withinBound(this.feeder.add('feed', {}, FEEDER_JOB_OPTIONS));
  }

  /** @throws when the queue cannot be reached */
  async depthOf(carrier: string): Promise<QueueDepth> {
    const counts = await withinBound(this.of(carrier).getJobCounts('waiting', 'prioritized', 'delayed', 'active'));
    return {
      interactive: counts.waiting ?? 0,
      bulk: counts.prioritized ?? 0,
      delayed: counts.delayed ?? 0,
      active: counts.active ?? 0,
    };
  }

  /**
   * Moves the first bulk jobs before all others: the share that bulk keeps while interactive jobs never end.
   *
   * @throws when the queue cannot be reached
   */
  async promoteBulk(carrier: string, count: number): Promise<void> {
    const jobs = await withinBound(this.of(carrier).getJobs(['prioritized'], 0, count - 1, true));
    // One that a worker takes at this moment cannot be moved, and need not be.
    await Promise.all(jobs.map((job) => job?.changePriority({ priority: 0, lifo: true }).catch(() => undefined)));
  }

  /** @throws when the queue cannot be reached */
  async ping(): Promise<void> {
    await withinBound(this.feeder.getJobCounts('waiting'));
  }

  /**
   * Whether everything that was on the queues may have vanished since somebody last asked: a Redis that came back empty, FLUSHALL; or
   * another server that answers in its place (a replica takes over without what had not reached it yet, a restart without what
   * was not on the disk). Only the first process that asks is told. A queue in PostgreSQL is lost with the orders themselves.
   */
  async hasLostEverything(): Promise<boolean> {
    const backend: unknown = this.feeder.getBackend();
    if (!(backend instanceof RedisQueueBackend)) return false;
    const client = await withinBound(backend.client);
    // In a cluster each queue may be on another node.
    const marked = client.isCluster ? [this.feeder, ...this.ofCarriers.values()] : [this.feeder];
    const answers = await Promise.allSettled(marked.map(hasLostMarker));
    // What was told once is not told again, so it counts although another node could not be asked.
    if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return false;
  }

  /** BullMQ's own queue of a carrier, for boards that show it. */
  of(carrier: string): Queue<DispatchJob> {
    const known = this.ofCarriers.get(carrier);
    if (known !== undefined) return known;
    const name = carrierQueueName(carrier);
    const queue = new Queue<DispatchJob>(name, queueOptions(this.config, 'producer', name));
    queue.on('error', () => undefined);
    this.ofCarriers.set(carrier, queue);
    return queue;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.ofCarriers.values()].map((queue) => queue.close()));
  }
}

function chunks(ids: readonly string[], size: number): (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}

/** BullMQ makes two temporary tables for every bulk in PostgreSQL, which costs it more than a few jobs one by one. */
const BULK_MIN = 8;

async function addJobs<Data>(queue: Queue<Data>, jobs: Parameters<Queue<Data>['addBulk']>[0]): Promise<void> {
  if (jobs.length === 0) return;
  const added: Promise<unknown> =
    jobs.length >= BULK_MIN
      ? queue.addBulk(jobs)
      : Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts)));
  await withinBound(added);
}

/**
 * Marks the server that has the queue. The mark is gone with everything else, and a new server makes a new field of it; the
 * answer counts the fields that are new.
 */
const MARK = `
  local run = string.match(redis.call('info', 'server'), 'run_id:(%x+)') or 'unknown'
  return redis.call('hset', KEYS[1], run, ARGV[1])`;

async function hasLostMarker(queue: Queue): Promise<boolean> {
  const client = (await withinBound(queue.getBackend().client)) as unknown as EvalClient;
  return (await withinBound(client.eval(MARK, 1, queue.toKey('in-use'), Date.now()))) === 1;
}

interface EvalClient {
  eval(script: string, keyCount: number, ...values: (string | number)[]): Promise<unknown>;
}

/**
 * BullMQ waits for its connection without a bound, whatever the connection's own bounds are; a caller of this queue must not:
 * a reconciler that hangs keeps no deadlines.
 */
async function withinBound<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new QueueUnavailable(`the queue did not answer within ${ANSWER_MAX_MS} ms`)),
      ANSWER_MAX_MS,
    );
  });
  try {
    return await Promise.race([work, bound]);
  } finally {
    clearTimeout(timer);
  }
}
