import { awaitFact } from '../../harness/await-fact.js';
import type { Scenario } from '../scenario.js';
import { SmallDisk } from '../small-disk.js';

export const postgresKill: Scenario = {
  name: 'postgres-kill',
  says: 'kill -9 of the postmaster; it is started again at once and recovers from its log',
  recovery: 'PostgreSQL killed -> a send made after that is accepted, its restart and recovery included',
  rounds: 20,
  pauseMs: [500, 2_500],
  async strike(field) {
    const { postgres } = field.system;
    const fromMs = field.note('postgres-kill', `pid ${postgres.pid}`);
    await postgres.kill();
    await postgres.restart();
    field.mended('postgres-kill', `pid ${postgres.pid}`);
    field.awaitAccept({ fromMs });
  },
};

export const backendTerminate: Scenario = {
  name: 'backend-terminate',
  says: 'pg_terminate_backend of sessions of gateways and workers, mostly while they execute or commit',
  recovery: 'sessions ended -> next accepted send',
  rounds: 60,
  pauseMs: [50, 800],
  async strike(field) {
    const count = field.random.between(1, 4);
    const role = field.random.pick(['heliograph-gateway', 'heliograph-worker', 'heliograph-%']);
    const ended = await field.system.postgres.query<{ pid: number; query: string }>(TERMINATE, [role, count]);
    const what = ended.map(({ pid, query }) => `${pid} (${query})`).join(', ');
    field.awaitAccept({ fromMs: field.note('backend-terminate', what) });
  },
};

/** Those that wait for the log to be written are in COMMIT; they come first, then those that execute. */
const TERMINATE = `
  select pid, left(query, 60) as query, pg_terminate_backend(pid)
    from (select pid, query from pg_stat_activity
           where application_name like $1 and application_name <> 'heliograph-harness' and pid <> pg_backend_pid()
           order by (wait_event in ('WalSync', 'WalWrite', 'WALSync', 'WALWrite')) desc nulls last, (state = 'active') desc,
                    random()
           limit $2) chosen`;

/** What the service sets on its own sessions; a session that forgets its transaction is ended by the server after it. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const SHORT_IDLE_MS = 3_000;

export const rowLock: Scenario = {
  name: 'row-lock',
  says: "a session idle in its transaction holds the hot account's balance row until the server ends it",
  recovery: 'row locked -> first accepted send of that account',
  rounds: 3,
  pauseMs: [1_000, 3_000],
  async strike(field) {
    const { postgres } = field.system;
    const [hot] = field.accounts;
    if (hot === undefined) throw new Error('no account');
    const heldMs = field.isShort ? SHORT_IDLE_MS : IDLE_IN_TRANSACTION_MS;
    const session = await postgres.connect(
      'heliograph-faults-lock',
      `-c idle_in_transaction_session_timeout=${heldMs}`,
    );
    try {
      await session.query('begin');
      await session.query('select 1 from account_balance where account_id = $1 for update', [hot.accountId]);
      const fromMs = field.note('row-lock', `account ${hot.accountId}`);
      field.awaitAccept({ fromMs: fromMs + 100, account: hot.accountId });
      await field.pause(heldMs + 500);
      const isEnded = await session.query('select 1').then(
        () => false,
        () => true,
      );
      if (!isEnded) field.complain('the server did not end the session that was idle in its transaction');
      field.mended('row-lock');
      await field.pause(2_000);
    } finally {
      await session.end().catch(() => undefined);
    }
  },
};

const LENGTH_MS = [3_000, 15_000] as const;
const SHORT_LENGTH_MS = [2_000, 4_000] as const;
const WRITABLE_TIMEOUT_MS = 60_000;

export const diskFull: Scenario = {
  name: 'disk-full',
  says: "the database's disk is full until PostgreSQL fails; it is freed, and the server started again where it had died",
  recovery: 'space freed, PostgreSQL answers -> first accepted send',
  diskMegabytes: 640,
  missing: SmallDisk.missing,
  rounds: 3,
  pauseMs: [1_000, 3_000],
  async strike(field) {
    const { disk, system } = field;
    const { postgres } = system;
    if (disk === undefined) throw new Error('the database lies on the disk of the run');
    field.allowWindow(field.system.workers.length);
    const octets = disk.fill();
    field.note('disk-full', `by ${octets} octets`);
    try {
      await field.pause(field.lengthMs(LENGTH_MS, SHORT_LENGTH_MS));
    } finally {
      disk.free();
    }
    if (postgres.hasEnded) {
      field.measures.push('PostgreSQL had died');
      await postgres.restart();
    }
    // It may be restarting its sessions after a panic of one.
    await awaitFact('PostgreSQL answers', WRITABLE_TIMEOUT_MS, async () => {
      field.signal.throwIfAborted();
      return postgres.query('select 1').then(
        () => true as const,
        () => undefined,
      );
    });
    field.awaitAccept({ fromMs: field.mended('disk-full') });
  },
};
