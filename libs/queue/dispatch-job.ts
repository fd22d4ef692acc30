import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';

/** Orders that a worker should look at. */
export const DISPATCH_QUEUE = 'dispatch';

/** Orders that wait for one carrier, so that they keep nobody else waiting. */
export function carrierQueueName(carrierId: number): string {
  return `${DISPATCH_QUEUE}-${carrierId}`;
}

/**
 * What a job says: look at these orders. Ids only, because what a queue holds is stored in clear and shown on boards, and
 * because a job is a hint: the orders themselves say whether anything is to be done.
 */
export interface DispatchJob {
  readonly ids: readonly string[];
}

/** Orders in one job. A job costs the queue about as much as fifty ids do, so orders accepted together share one. */
export const DISPATCH_JOB_IDS_MAX = 50;

/**
 * Jobs vanish when they are over, whatever came of them: a kept job would keep its id, and the sweeper could not offer
 * the order again under it.
 */
export const DISPATCH_JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
} as const satisfies JobsOptions;

/**
 * Cuts ids into jobs. A job's id stands for exactly its orders, so that offering the same ones twice makes one job, and
 * offering others with them is never mistaken for a repeat.
 */
export function dispatchJobs(ids: readonly string[]): { jobId: string; data: DispatchJob }[] {
  const jobs: { jobId: string; data: DispatchJob }[] = [];
  for (let start = 0; start < ids.length; start += DISPATCH_JOB_IDS_MAX) {
    const chunk = ids.slice(start, start + DISPATCH_JOB_IDS_MAX);
    jobs.push({ jobId: jobIdOf(chunk), data: { ids: chunk } });
  }
  return jobs;
}

/** A single order's own id; of several, a digest (without a colon, which BullMQ keeps to itself). */
function jobIdOf(ids: readonly string[]): string {
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  return createHash('sha256').update(ids.join()).digest('hex').slice(0, 32);
}
