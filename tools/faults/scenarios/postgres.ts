import { awaitFact } from '../../harness/await-fact.js';
import { IN_DOUBT_FLAGS, type Scenario } from '../scenario.js';
import { SmallDisk } from '../small-disk.js';

/**
 * Sessions that wait for the log to be written are in COMMIT; they come first, then those that execute. BullMQ names
 * those that listen after their queue, such as `feeder`.
 */
const TERMINATE = `
  select pid, left(query, 60) as query, pg_terminate_backend(pid)
    from (select pid, query from pg_stat_activity
           where backend_type = 'client backend' and application_name like $1
             and application_name not in ('heliograph-harness', 'smsctl') and pid <> pg_backend_pid()
           order by (wait_event in ('WalSync', 'WalWrite', 'WALSync', 'WALWrite')) desc nulls last,
                    (state = 'active') desc, random()
           limit $2) chosen`;
/** What the service sets on its own sessions; the server ends one that forgets its transaction after it. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const SHORT_IDLE_MS = 3_000;
const FULL_MS = { usual: [3_000, 15_000], short: [2_000, 4_000] } as const;
const WRITABLE_TIMEOUT_MS = 60_000;

export const POSTGRES_SCENARIOS: readonly Scenario[] = [
  {
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
      field.awaitAccept(fromMs);
    },
  },
  {
    name: 'backend-terminate',
    says: 'pg_terminate_backend of sessions of gateways and workers, mostly while they execute or commit',
    recovery: 'sessions ended -> next accepted send',
    rounds: 60,
    pauseMs: [50, 800],
    async strike(field) {
      const count = field.random.between(1, 4);
      const role = field.random.pick(['heliograph-gateway', 'heliograph-worker', '%']);
      const ended = await field.system.postgres.query<{ pid: number; query: string }>(TERMINATE, [role, count]);
      const what = ended.map(({ pid, query }) => `${pid} (${query})`).join(', ');
      field.awaitAccept(field.note('backend-terminate', what));
    },
  },
  {
    name: 'row-lock',
    says: "a session idle in its transaction holds the hot account's balance row until the server ends it",
    recovery: 'row locked -> first accepted send of that account',
    rounds: 3,
    async strike(field) {
      const account = field.stage.accounts[0]?.accountId ?? '';
      const heldMs = field.isShort ? SHORT_IDLE_MS : IDLE_IN_TRANSACTION_MS;
      const timeout = `-c idle_in_transaction_session_timeout=${heldMs}`;
      const session = await field.system.postgres.connect('heliograph-faults-lock', timeout);
      try {
        await session.query('begin');
        await session.query('select 1 from account_balance where account_id = $1 for update', [account]);
        const fromMs = field.note('row-lock', `account ${account}`);
        field.awaitedAccepts.push({ fromMs: fromMs + 100, account });
        await field.pause(heldMs + 500);
        const isOpen = await session.query('select 1').catch(() => undefined);
        if (isOpen) field.complain('the server did not end the session that was idle in its transaction');
        field.mended('row-lock');
        await field.pause(2_000);
      } finally {
        await session.end().catch(() => undefined);
      }
    },
  },
  {
    name: 'disk-full',
    says: "the database's disk is full until PostgreSQL fails; it is freed, and a server that died is started again",
    recovery: 'space freed, PostgreSQL answers -> first accepted send',
    simulatorFlags: IN_DOUBT_FLAGS,
    diskMegabytes: 640,
    missing: SmallDisk.missing,
    rounds: 3,
    async strike(field) {
      const { disk } = field.stage;
      const { postgres } = field.system;
      if (disk === undefined) throw new Error('the database lies on the disk of the run');
      field.allowWindow();
      const lengthMs = field.lengthMs(FULL_MS);
      const mend = async () => {
        disk.free();
        if (postgres.hasEnded) {
          field.measures.push('PostgreSQL had died');
          await postgres.restart();
        }
        // It may be restarting its sessions after a panic of one.
        await awaitFact('PostgreSQL answers', WRITABLE_TIMEOUT_MS, field.signal, () =>
          postgres.query('select 1').catch(() => undefined),
        );
      };
      field.awaitAccept(await field.spoil('disk-full', `for ${lengthMs} ms`, lengthMs, () => disk.fill(), mend));
    },
  },
];
