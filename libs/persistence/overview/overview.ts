import type { Micros } from '#billing';
import { type CarrierState, carrierState } from '../carriers/carrier-state.js';
import { listCarriers } from '../carriers/carriers.js';
import type { Queryable } from '../database/database.js';
import { liveProcesses, PROCESS_ROLES, type ProcessRole } from '../database/heartbeat.js';
import { NOT_ROUTED } from '../dispatch/backlog.js';
import { ledgerTotals } from '../ledger/operation-reports.js';
import { type DispatchHold, findHold } from '../recovery/dispatch-hold.js';
import { OPEN_WORK_COUNT_MAX, type OpenWork, readOpenWork } from '../recovery/open-work.js';
import {
  listTrafficReasons,
  NO_TRAFFIC,
  readTraffic,
  type Traffic,
  type TrafficHours,
  type TrafficReason,
} from './traffic.js';
import { listAwaitedReceipts, listWaiting, type WaitingMessages } from './waiting.js';

/** Messages that wait for something. */
interface Backlog {
  readonly messages: number;
  readonly oldestSeconds: number;
}

interface CarrierOverview extends TrafficHours {
  readonly carrierId: number;
  readonly name: string;
  readonly simulator: boolean;
  readonly state: CarrierState['state'];
  readonly workersBound: number;
  readonly workers: number;
  readonly lastError: CarrierState['lastError'];
  readonly segmentsPerSecond: number;
  readonly waiting: Backlog;
  /** What it took without a receipt so far. */
  readonly awaitingReceipts: Backlog;
}

interface AccountOverview extends TrafficHours {
  readonly accountId: string;
  readonly name: string;
  readonly status: string;
  readonly waiting: Backlog;
}

/** Whether money and messages flow. */
export interface Overview {
  readonly at: Date;
  readonly traffic: Pick<Traffic, 'lastHour' | 'weekBefore' | 'steps' | 'stepsOfWeekBefore' | 'isWeekKnown'>;
  readonly reasons: readonly TrafficReason[];
  readonly carriers: readonly CarrierOverview[];
  /** Accounts with messages in the last hour or in a backlog; those with most of them first. */
  readonly accounts: readonly AccountOverview[];
  /** In the backlogs without a carrier yet. */
  readonly notRouted: Backlog;
  readonly work: OpenWork;
  /** Where counts of `work` end. */
  readonly workCountMax: number;
  readonly money: readonly { currency: string; deposited: Micros; reserved: Micros; captured: Micros }[];
  readonly accountsByStatus: Readonly<Record<string, number>>;
  readonly hold: DispatchHold | undefined;
  readonly processes: Readonly<Record<ProcessRole, number>>;
}

const ACCOUNTS_MAX = 50;

/** Costs some milliseconds; the caller keeps the answer for some seconds, for everybody who asks. */
export async function readOverview(database: Queryable): Promise<Overview> {
  const [clock] = await database.query<{ at: Date }>('select now() as at');
  const traffic = await readTraffic(database);
  const waiting = await listWaiting(database);
  return {
    at: clock?.at ?? new Date(),
    traffic: {
      lastHour: traffic.lastHour,
      weekBefore: traffic.weekBefore,
      steps: traffic.steps,
      stepsOfWeekBefore: traffic.stepsOfWeekBefore,
      isWeekKnown: traffic.isWeekKnown,
    },
    reasons: await listTrafficReasons(database),
    carriers: await readCarriers(database, traffic, waiting),
    accounts: await readAccounts(database, traffic, waiting),
    notRouted: backlogOf(waiting.filter(({ carrierId }) => carrierId === NOT_ROUTED)),
    work: await readOpenWork(database),
    workCountMax: OPEN_WORK_COUNT_MAX,
    money: await ledgerTotals(database),
    accountsByStatus: await countAccounts(database),
    hold: await findHold(database),
    processes: await countProcesses(database),
  };
}

async function readCarriers(
  database: Queryable,
  traffic: Traffic,
  waiting: readonly WaitingMessages[],
): Promise<CarrierOverview[]> {
  const workers = await liveProcesses(database, 'worker');
  const awaited = await listAwaitedReceipts(database, OPEN_WORK_COUNT_MAX);
  return (await listCarriers(database)).map((carrier) => {
    const { state, workersBound, workers: all, lastError, segmentsPerSecond } = carrierState(carrier, workers);
    const { carrierId, name, simulator } = carrier;
    return {
      carrierId,
      name,
      simulator,
      state,
      workersBound,
      workers: all,
      lastError,
      segmentsPerSecond,
      ...hoursOf(traffic.byCarrier.get(carrierId)),
      waiting: backlogOf(waiting.filter((line) => line.carrierId === carrierId)),
      awaitingReceipts: backlogOf(awaited.filter((line) => line.carrierId === carrierId)),
    };
  });
}

async function readAccounts(
  database: Queryable,
  traffic: Traffic,
  waiting: readonly WaitingMessages[],
): Promise<AccountOverview[]> {
  const backlogs = new Map<string, Backlog>();
  for (const line of waiting) {
    const { messages, oldestSeconds } = backlogs.get(line.accountId) ?? NOTHING_WAITS;
    backlogs.set(line.accountId, {
      messages: messages + line.messages,
      oldestSeconds: Math.max(oldestSeconds, line.oldestSeconds),
    });
  }
  const sizeOf = (accountId: string) => {
    const { accepted, delivered } = hoursOf(traffic.byAccount.get(accountId)).lastHour;
    return Math.max(accepted, delivered) + (backlogs.get(accountId)?.messages ?? 0);
  };
  const ids = [...new Set([...traffic.byAccount.keys(), ...backlogs.keys()])]
    .map((accountId) => ({ accountId, size: sizeOf(accountId) }))
    .sort((a, b) => b.size - a.size)
    .slice(0, ACCOUNTS_MAX)
    .map(({ accountId }) => accountId);
  const rows = await database.query<Pick<AccountOverview, 'accountId' | 'name' | 'status'>>(
    `select account_id as "accountId", name, status from account where account_id = any($1::bigint[])
      order by array_position($1::bigint[], account_id)`,
    [ids],
  );
  return rows.map((row) => ({
    ...row,
    ...hoursOf(traffic.byAccount.get(row.accountId)),
    waiting: backlogs.get(row.accountId) ?? NOTHING_WAITS,
  }));
}

async function countAccounts(database: Queryable): Promise<Record<string, number>> {
  const rows = await database.query<{ status: string; n: number }>(
    `select status, count(*)::integer as n from account where account_id > 0 and not internal group by status`,
  );
  return { active: 0, suspended: 0, closed: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}

async function countProcesses(database: Queryable): Promise<Record<ProcessRole, number>> {
  const counts = { gateway: 0, worker: 0, webhooks: 0 };
  for (const role of PROCESS_ROLES) counts[role] = (await liveProcesses(database, role)).length;
  return counts;
}

const NOTHING_WAITS: Backlog = { messages: 0, oldestSeconds: 0 };

function backlogOf(lines: readonly Backlog[]): Backlog {
  return {
    messages: lines.reduce((sum, { messages }) => sum + messages, 0),
    oldestSeconds: Math.max(0, ...lines.map(({ oldestSeconds }) => oldestSeconds)),
  };
}

function hoursOf(hours: TrafficHours | undefined): TrafficHours {
  return hours ?? { lastHour: NO_TRAFFIC, weekBefore: NO_TRAFFIC };
}
