import type { OnApplicationShutdown } from '@nestjs/common';
import { type Queue, RedisQueueBackend } from 'bullmq';
import {
  carrierQueueName,
  DISPATCH_JOB_OPTIONS,
  type DispatchJob,
  dispatchJobs,
  type OrderGroup,
  TURN_JOB_OPTIONS,
  type TurnJob,
  turnJobId,
} from './dispatch-job.js';

export interface QueueDepth {
  /** Jobs that nobody works on yet. */
  readonly waiting: number;
  readonly active: number;
}

/** The queue did not answer in time; whether it took what it was given is unknown, and does not matter. */
export class QueueUnavailable extends Error {}

const ANSWER_MAX_MS = 2_000;

/** Where orders are announced to the workers. Losing or doubling an announcement loses and doubles nothing else. */
export abstract class DispatchQueue {
  /**
   * Announces orders.
   *
   * @throws when the queue cannot be reached; the gateway announces them again when it can be, the sweeper in the end
   */
  abstract enqueue(groups: readonly OrderGroup[]): Promise<void>;
  /**
   * Says that accounts have backlogs that want turns.
   *
   * @throws when the queue cannot be reached; the workers look for themselves
   */
  abstract announceTurns(accounts: readonly string[]): Promise<void>;
  /**
   * Puts orders on the queue of the carrier that they wait for.
   *
   * @throws when the queue cannot be reached; the sweeper announces them again
   */
  abstract enqueueFor(carrierId: number, groups: readonly OrderGroup[]): Promise<void>;
  /** Says which carriers have queues, so that `depth` counts what waits in them too. */
  abstract followCarriers(carrierIds: readonly number[]): void;
  /** Of the common queue and the followed carriers' queues together. */
  abstract depth(): Promise<QueueDepth>;
  /** Of one carrier's queue alone. */
  abstract depthOf(carrierId: number): Promise<QueueDepth>;
  /**
   * Whether everything that was on the queues may have vanished since somebody last asked: a Redis that came back empty, FLUSHALL; or
   * another server that answers in its place (a replica takes over without what had not reached it yet, a restart without what
   * was not on the disk). Told to one who asks only. A queue in PostgreSQL goes the way of the orders themselves.
   */
  abstract hasLostEverything(): Promise<boolean>;
  /** Jobs that could be started now: on a carrier's queue, or on the common one. */
  abstract readyJobs(carrierId: number | undefined): Promise<number>;
}

/** The queues on BullMQ, the same code on Redis and on PostgreSQL. */
export class BullDispatchQueue extends DispatchQueue implements OnApplicationShutdown {
  /** Opened when they are first needed. */
  private readonly carrierQueues = new Map<number, Queue<DispatchJob>>();
  private followed: readonly number[] = [];

  constructor(
    private readonly queue: Queue<DispatchJob>,
    /** BullMQ's own queue of turns, for boards that show it. */
    readonly turns: Queue<TurnJob>,
    private readonly open: (name: string) => Queue<DispatchJob>,
  ) {
    super();
  }

  enqueue(groups: readonly OrderGroup[]): Promise<void> {
    return announce(this.queue, groups);
  }

  async announceTurns(accounts: readonly string[]): Promise<void> {
    const jobs = [...new Set(accounts)].map((account) => ({
      name: 'turn',
      data: { account },
      opts: { ...TURN_JOB_OPTIONS, jobId: turnJobId(account) },
    }));
    await addJobs(this.turns, jobs);
  }

  enqueueFor(carrierId: number, groups: readonly OrderGroup[]): Promise<void> {
    return announce(this.queueOf(carrierId), groups);
  }

  followCarriers(carrierIds: readonly number[]): void {
    this.followed = [...carrierIds];
  }

  async depth(): Promise<QueueDepth> {
    const queues = [this.queue, ...this.followed.map((carrierId) => this.queueOf(carrierId))];
    const depths = await Promise.all(queues.map(depthOf));
    return {
      waiting: depths.reduce((sum, { waiting }) => sum + waiting, 0),
      active: depths.reduce((sum, { active }) => sum + active, 0),
    };
  }

  depthOf(carrierId: number): Promise<QueueDepth> {
    return depthOf(this.queueOf(carrierId));
  }

  async hasLostEverything(): Promise<boolean> {
    const backend: unknown = this.queue.getBackend();
    if (!(backend instanceof RedisQueueBackend)) return false;
    const client = await withinBound(backend.client);
    // In a cluster each queue may be on another node.
    const followed = client.isCluster ? this.followed.map((carrierId) => this.queueOf(carrierId)) : [];
    const answers = await Promise.allSettled([this.queue, ...followed].map(hasLostMarker));
    // What was told once is not told again, so it counts although another node could not be asked.
    if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return false;
  }

  async readyJobs(carrierId: number | undefined): Promise<number> {
    const queue = carrierId === undefined ? this.queue : this.queueOf(carrierId);
    const counts = await withinBound(queue.getJobCounts('waiting', 'prioritized'));
    return (counts.waiting ?? 0) + (counts.prioritized ?? 0);
  }

  /** BullMQ's own queue of a carrier, for boards that show it. */
  queueOf(carrierId: number): Queue<DispatchJob> {
    const known = this.carrierQueues.get(carrierId);
    if (known !== undefined) return known;
    const queue = this.open(carrierQueueName(carrierId));
    this.carrierQueues.set(carrierId, queue);
    return queue;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.queue, this.turns, ...this.carrierQueues.values()].map((queue) => queue.close()));
  }
}

async function announce(queue: Queue<DispatchJob>, groups: readonly OrderGroup[]): Promise<void> {
  const jobs = dispatchJobs(groups).map(({ jobId, data }) => ({
    name: 'dispatch',
    data,
    opts: { ...DISPATCH_JOB_OPTIONS, jobId },
  }));
  await addJobs(queue, jobs);
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

async function depthOf(queue: Queue<DispatchJob>): Promise<QueueDepth> {
  const counts = await withinBound(queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized'));
  const waiting = (counts.waiting ?? 0) + (counts.delayed ?? 0) + (counts.prioritized ?? 0);
  return { waiting, active: counts.active ?? 0 };
}

/**
 * Marks the server that has the queue. The mark is gone with everything else, and a new server makes a new field of it; the
 * answer counts the fields that are new.
 */
const MARK = `
  local run = string.match(redis.call('info', 'server'), 'run_id:(%x+)') or 'unknown'
  return redis.call('hset', KEYS[1], run, ARGV[1])`;

async function hasLostMarker(queue: Queue<DispatchJob>): Promise<boolean> {
  const client = (await withinBound(queue.getBackend().client)) as unknown as EvalClient;
  return (await withinBound(client.eval(MARK, 1, queue.toKey('in-use'), Date.now()))) === 1;
}

interface EvalClient {
  eval(script: string, keyCount: number, ...values: (string | number)[]): Promise<unknown>;
}

/**
 * BullMQ waits for its connection without a bound, whatever the connection's own bounds are; who asks this queue must not:
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
