import type { JobsOptions } from 'bullmq';

/** Orders that wait for one carrier. The name is the carrier's, so that a board says what waits where. */
export function carrierQueueName(carrier: string): string {
  return `carrier-${carrier}`;
}

/** Its jobs wake the feeder of a worker: accounts have backlogs. */
export const FEEDER_QUEUE = 'feeder';

/** The queue of releases up to 0.2: orders that no carrier was chosen for. Workers drain it for one release. */
export const PREVIOUS_DISPATCH_QUEUE = 'dispatch';

/**
 * What a job says: look at these orders. Ids only, because what a queue holds is stored in clear and shown on boards, and
 * because a job is a hint: the orders themselves say whether anything is to be done.
 */
export interface DispatchJob {
  readonly ids: readonly string[];
  /** Of `smsctl carrier test`: the carrier takes it although it is paused. */
  readonly isTest?: true;
}

/** `interactive`: messages that somebody waits for; they go before `bulk`, which is what came in batches. */
export type JobPriority = 'interactive' | 'bulk';

/** Orders in one job at most. A job costs the queue about as much as fifty ids do, so orders of one commit share jobs. */
export const DISPATCH_JOB_IDS_MAX = 50;

/** BullMQ takes jobs without a priority first, then those with the lowest number. */
const BULK_PRIORITY = 1;

/** A failed job is tried again; the last failures stay, so that a board shows their reasons. */
const DISPATCH_JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: { count: 100, age: 24 * 3_600 },
  attempts: 5,
  backoff: { type: 'exponential', delay: 1_000 },
} as const satisfies JobsOptions;

/** One such job waits at a time, however often the feeder is woken; a lost one is made up for by the feeder's own clock. */
export const FEEDER_JOB_OPTIONS = {
  jobId: 'feed',
  removeOnComplete: true,
  removeOnFail: true,
} as const satisfies JobsOptions;

export function dispatchJobOptions(priority: JobPriority): JobsOptions {
  return priority === 'bulk' ? { ...DISPATCH_JOB_OPTIONS, priority: BULK_PRIORITY } : DISPATCH_JOB_OPTIONS;
}

export function priorityOf(job: { readonly opts: JobsOptions }): JobPriority {
  return job.opts.priority === undefined || job.opts.priority === 0 ? 'interactive' : 'bulk';
}
