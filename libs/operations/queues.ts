import {
  backlogDepths,
  type CarrierState,
  carrierState,
  type Database,
  findHold,
  listCarriers,
  liveProcesses,
  NOT_ROUTED,
  readOpenWork,
  SANDBOX_CARRIER_ID,
  SANDBOX_CARRIER_NAME,
} from '#persistence';

/** Jobs of one queue, by how they stand; a job holds up to 50 messages. */
interface QueueJobs {
  readonly interactive: number;
  readonly bulk: number;
  readonly delayed: number;
  readonly active: number;
}

/** What waits for one carrier. */
interface CarrierQueue {
  readonly carrier: string;
  readonly state: CarrierState['state'];
  /** Null: the queue does not answer. */
  readonly jobs: QueueJobs | null;
  /** That all workers together have lately ended. */
  readonly jobsPerSecond: number;
  readonly segmentsPerSecond: number;
}

interface Backlog {
  /** Null: not routed yet, or free to go by every carrier. */
  readonly carrier: string | null;
  readonly accounts: number;
  readonly messages: number;
}

/** What waits in the whole service. */
export interface QueuesAnswer {
  /** The queue answers. */
  readonly isUp: boolean;
  readonly isHeld: boolean;
  /** Queued messages and those below are counted up to 100,000. */
  readonly queued: number;
  /** Of the oldest message that may go and that no worker has taken; null: there is none. */
  readonly oldestQueuedSeconds: number | null;
  readonly overdue: number;
  readonly inDoubt: number;
  readonly unmatchedReceipts: number;
  readonly carriers: readonly CarrierQueue[];
  readonly backlogs: readonly Backlog[];
}

/** @param jobsOf asks the queue of a carrier; it throws when there is no answer in time */
export async function queueList(
  database: Database,
  jobsOf: (carrier: string) => Promise<QueueJobs>,
): Promise<QueuesAnswer> {
  const carriers = await listCarriers(database);
  const workers = await liveProcesses(database, 'worker');
  const jobs = await Promise.all(carriers.map(({ name }) => jobsOf(name).catch(() => null)));
  const { oldestQueuedSeconds = null, ...work } = await readOpenWork(database);
  const names = new Map<number, string | null>(carriers.map(({ carrierId, name }) => [carrierId, name]))
    .set(NOT_ROUTED, null)
    .set(SANDBOX_CARRIER_ID, SANDBOX_CARRIER_NAME);
  return {
    isUp: jobs.every((one) => one !== null),
    isHeld: (await findHold(database)) !== undefined,
    oldestQueuedSeconds,
    ...work,
    carriers: carriers.map((carrier, index) => {
      const { state, jobsPerSecond, segmentsPerSecond } = carrierState(carrier, workers);
      return { carrier: carrier.name, state, jobs: jobs[index] ?? null, jobsPerSecond, segmentsPerSecond };
    }),
    backlogs: (await backlogDepths(database)).map(({ carrierId, ...depth }) => ({
      carrier: names.get(carrierId) ?? null,
      ...depth,
    })),
  };
}
