import type { OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { DISPATCH_JOB_OPTIONS, type DispatchJob, dispatchJobs } from './dispatch-job.js';

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
   * @throws when the queue cannot be reached; the sweeper announces them again
   */
  abstract enqueue(ids: readonly string[]): Promise<void>;
  abstract depth(): Promise<QueueDepth>;
}

/** The queue on BullMQ, the same code on Redis and on PostgreSQL. */
export class BullDispatchQueue extends DispatchQueue implements OnApplicationShutdown {
  constructor(private readonly queue: Queue<DispatchJob>) {
    super();
  }

  async enqueue(ids: readonly string[]): Promise<void> {
    const jobs = dispatchJobs(ids);
    if (jobs.length === 0) return;
    await withinBound(
      this.queue.addBulk(
        jobs.map(({ jobId, data }) => ({ name: 'dispatch', data, opts: { ...DISPATCH_JOB_OPTIONS, jobId } })),
      ),
    );
  }

  async depth(): Promise<QueueDepth> {
    const counts = await withinBound(this.queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized'));
    const waiting = (counts.waiting ?? 0) + (counts.delayed ?? 0) + (counts.prioritized ?? 0);
    return { waiting, active: counts.active ?? 0 };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
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
