import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';

/** Orders that a worker should look at. */
export const DISPATCH_QUEUE = 'dispatch';

/** Accounts whose backlogs want turns; the backlogs themselves are in the database. */
export const TURNS_QUEUE = 'dispatch-turns';

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
  /** Whose orders they are; left out where that is not known, and in jobs of earlier releases. */
  readonly account?: string;
}

/** What a job on the queue of turns says: this account has a backlog. Losing it costs half a second. */
export interface TurnJob {
  readonly account: string;
}

/** Orders to be announced, and whose they are. */
export interface OrderGroup {
  readonly ids: readonly string[];
  readonly account?: string | undefined;
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

/** One such job waits for an account, however many batches it sends; tried once, because a lost one is made up for. */
export const TURN_JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const satisfies JobsOptions;

/**
 * Cuts orders into jobs, each with those of one account. A job's id stands for exactly its orders, so that offering the same
 * ones twice makes one job, and offering others with them is never mistaken for a repeat.
 */
export function dispatchJobs(groups: readonly OrderGroup[]): { jobId: string; data: DispatchJob }[] {
  const byAccount = new Map<string | undefined, string[]>();
  for (const { account, ids } of groups) {
    const known = byAccount.get(account);
    if (known === undefined) byAccount.set(account, [...ids]);
    else known.push(...ids);
  }
  const jobs: { jobId: string; data: DispatchJob }[] = [];
  for (const [account, ids] of byAccount) {
    for (let start = 0; start < ids.length; start += DISPATCH_JOB_IDS_MAX) {
      const chunk = ids.slice(start, start + DISPATCH_JOB_IDS_MAX);
      jobs.push({ jobId: jobIdOf(chunk), data: { ids: chunk, ...(account !== undefined && { account }) } });
    }
  }
  return jobs;
}

export function turnJobId(account: string): string {
  return `turn-${account}`;
}

/** A single order's own id; of several, a digest (without a colon, which BullMQ keeps to itself). */
function jobIdOf(ids: readonly string[]): string {
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  return createHash('sha256').update(ids.join()).digest('hex').slice(0, 32);
}
