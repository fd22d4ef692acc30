import {
  carrierState,
  clockOffsetMs,
  commitWaitSeconds,
  type Database,
  findHold,
  heldCounts,
  listCarriers,
  liveProcesses,
  NotMigrated,
  poolerAdvice,
  readOpenWork,
  takesWrites,
} from '#persistence';
import { adviseFormat } from '../carriers/reread-receipts.js';
import { examineOperators } from './examine-operators.js';
import { examinePooler } from './examine-pooler.js';
import { examineProcesses } from './examine-processes.js';
import { examineQueue } from './examine-queue.js';
import { examineReplica } from './examine-replica.js';
import { examineRoutes } from './examine-routes.js';
import { examineRole, examineSecrets } from './examine-secrets.js';
import { examineWebhooks } from './examine-webhooks.js';
import type { Finding, ServersInUse } from './finding.js';
import { runbookOf } from './runbooks.js';

const CLOCK_WARN_MS = 500;
const CLOCK_FAIL_MS = 5_000;
/** Of one commit; a replica that follows answers within a fraction of a second. */
const COMMIT_WAIT_FAIL_SECONDS = 2;
const QUEUED_WARN_SECONDS = 60;
const QUEUED_FAIL_SECONDS = 600;

/** What the doctor answers. */
export interface Diagnosis {
  /** No check fails. */
  readonly isWell: boolean;
  /** `runbook`: the page of `docs/runbooks` that says what to do, e.g. `carrier-outage`; null: none is needed. */
  readonly checks: readonly (Finding & { readonly runbook: string | null })[];
}

/** Examines all parts of the service; a part that cannot be examined is a finding too. */
export async function doctor(servers: ServersInUse, connect: () => Promise<Database>): Promise<Diagnosis> {
  const findings = await examineAll(servers, connect);
  return {
    isWell: findings.every(({ state }) => state !== 'fail'),
    checks: findings.map((finding) => ({ ...finding, runbook: runbookOf(finding) })),
  };
}

async function examineAll(servers: ServersInUse, connect: () => Promise<Database>): Promise<Finding[]> {
  let database: Database;
  try {
    database = await connect();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const check = error instanceof NotMigrated ? 'schema' : 'database';
    return [{ check, state: 'fail', detail }, ...(await examineQueue(servers, undefined))];
  }
  const parts = [
    examineDatabase,
    examineRole,
    () => examinePooler(servers),
    () => examineReplica(servers, database),
    examineClock,
    () => examineQueue(servers, database),
    examineProcesses,
    examineCarriers,
    examineSecrets,
    examineOperators,
    examineWebhooks,
    examineHold,
    examineRoutes,
    examineWork,
    examineReceiptIds,
  ];
  const findings: Finding[] = [];
  try {
    for (const examine of parts) findings.push(...[await examine(database, servers)].flat());
  } catch (error) {
    // Its disk may be full, for example. The parts behind this one would wait for it as well.
    const detail = `it refused a question, so not all was examined: ${error instanceof Error ? error.message : error}`;
    findings.push({ check: 'database', state: 'fail', detail });
  }
  return findings;
}

async function examineDatabase(database: Database, { source }: ServersInUse): Promise<Finding> {
  const startedMs = performance.now();
  const [row] = await database.query<{ version: string }>(`select current_setting('server_version') as version`);
  const roundTripMs = (performance.now() - startedMs).toFixed(1);
  const words = `PostgreSQL ${row?.version}, migrated, answers in ${roundTripMs} ms (${source})`;
  if (!(await takesWrites(database))) {
    return { check: 'database', state: 'fail', detail: `${words}; it is read-only: nothing can be accepted or sent` };
  }
  const waitSeconds = Math.round(await commitWaitSeconds(database));
  if (waitSeconds >= COMMIT_WAIT_FAIL_SECONDS) {
    const detail = `${words}; commits have waited ${waitSeconds} s for a synchronous replica: nothing is accepted or sent`;
    return { check: 'database', state: 'fail', detail };
  }
  const advice = await poolerAdvice(database);
  return {
    check: 'database',
    state: advice === undefined ? 'ok' : 'warn',
    detail: advice === undefined ? words : `${words}; ${advice}`,
  };
}

async function examineClock(database: Database): Promise<Finding> {
  const offsetMs = Math.round(await clockOffsetMs(database));
  const distanceMs = Math.abs(offsetMs);
  return {
    check: 'clock',
    state: distanceMs >= CLOCK_FAIL_MS ? 'fail' : distanceMs >= CLOCK_WARN_MS ? 'warn' : 'ok',
    detail: `this machine is ${distanceMs} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} the database`,
  };
}

async function examineCarriers(database: Database): Promise<Finding[]> {
  const workers = await liveProcesses(database, 'worker');
  const carriers = await listCarriers(database);
  if (carriers.length === 0) {
    return [{ check: 'carriers', state: 'fail', detail: 'there is none: messages wait until `smsctl carrier add`' }];
  }
  return carriers.map((carrier) => {
    const { state, workersBound, bindsUp, bindsWanted, lastError } = carrierState(carrier, workers);
    const isMissing = carrier.bindCount === undefined ? workersBound < workers.length : bindsUp < bindsWanted;
    if (state === 'excluded') {
      return {
        check: `carrier ${carrier.name}`,
        state: 'ok',
        detail: 'a simulator: takes nothing beside the real carriers',
      };
    }
    const isUp = state === 'bound' || state === 'throttled';
    const why =
      bindsUp < bindsWanted && lastError !== undefined ? `; ${moment(lastError.at)}: ${lastError.reason}` : '';
    const binds = carrier.bindCount === undefined ? '' : `, ${bindsUp} of ${bindsWanted} binds`;
    return {
      check: `carrier ${carrier.name}`,
      state: isUp ? (isMissing || state === 'throttled' ? 'warn' : 'ok') : state === 'paused' ? 'warn' : 'fail',
      detail:
        state === 'paused'
          ? `paused by the operator${why}`
          : `bound by ${workersBound} of ${workers.length} workers${binds}${state === 'throttled' ? ', throttled' : ''}${why}`,
    };
  });
}

/** An active hold waits for a person; without one there is nothing to report. */
async function examineHold(database: Database): Promise<Finding[]> {
  const hold = await findHold(database);
  if (hold === undefined) return [];
  const held = (await heldCounts(database)).reduce((sum, { count }) => sum + count, 0);
  const detail = `${held} messages accepted before ${hold.heldBefore.toISOString()} (${hold.reason}): \`smsctl hold show\``;
  return [{ check: 'held messages', state: 'warn', detail }];
}

async function examineWork(database: Database): Promise<Finding[]> {
  const work = await readOpenWork(database);
  const ageSeconds = Math.round(work.oldestQueuedSeconds ?? 0);
  return [
    {
      check: 'queued messages',
      state: ageSeconds >= QUEUED_FAIL_SECONDS ? 'fail' : ageSeconds >= QUEUED_WARN_SECONDS ? 'warn' : 'ok',
      detail: work.queued === 0 ? 'none' : `${work.queued}, the oldest that may go waits for ${ageSeconds} s`,
    },
    {
      check: 'overdue messages',
      state: work.overdue > 0 ? 'fail' : 'ok',
      detail: work.overdue > 0 ? `${work.overdue} that no reconciler has looked at` : 'none',
    },
    {
      check: 'segments in doubt',
      state: work.inDoubt > 0 ? 'warn' : 'ok',
      detail: work.inDoubt > 0 ? `${work.inDoubt} wait for a receipt or for their carrier's policy` : 'none',
    },
    {
      check: 'unmatched receipts',
      state: work.unmatchedReceipts > 0 ? 'warn' : 'ok',
      detail: work.unmatchedReceipts > 0 ? `${work.unmatchedReceipts} for messages that are not known` : 'none',
    },
  ];
}

/** The most common mistake with a new carrier: every receipt arrives, and none matches a message. */
async function examineReceiptIds(database: Database): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const carrier of await listCarriers(database)) {
    const advice = await adviseFormat(database, carrier);
    if (advice === undefined) continue;
    const { fitting, of, format } = advice;
    const detail = `${fitting} of ${of} unmatched receipts fit a message when their ids are read as ${format}: \`smsctl carrier set ${carrier.name} --message-id ${format}\``;
    findings.push({ check: `receipt ids of ${carrier.name}`, state: 'fail', detail });
  }
  return findings;
}

function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
