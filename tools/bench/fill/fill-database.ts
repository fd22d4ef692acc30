import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { FillPlan } from './command-line.js';

/** Messages in one transaction. */
const SLICE_MESSAGES = 50_000;
const SESSION_SETTINGS = '-c synchronous_commit=off -c work_mem=256MB -c maintenance_work_mem=512MB -c jit=off';
const VACUUMED = [
  'message_order',
  'order_exception',
  'order_label',
  'segment',
  'order_transition',
  'journal_entry',
  'deposit',
  'account_balance',
  'account',
  'idempotency_key',
];

/**
 * Rows are written as they are in the end, while the service writes them small and lets them grow into the room that
 * the fill factor leaves. Pages with that room still free would take one new row each, wherever they lie on the disk.
 */
const FINAL_FILL_FACTORS: FillFactors = { message_order: 92, segment: 98 };

type FillFactors = Readonly<Record<string, number>>;

/** How long each part took, in seconds. */
interface FillTimes {
  readonly plan: number;
  readonly messages: number;
  readonly vacuum: number;
}

/**
 * Fills a migrated database, all in statements of the server, in several sessions.
 *
 * @throws Error when an earlier fill of it was cut off: its accounts have messages and no balances
 */
export async function fillDatabase(
  url: string,
  plan: FillPlan,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<FillTimes> {
  const sessions = await Promise.all(Array.from({ length: plan.sessions }, () => connect(url)));
  const [first] = sessions;
  if (first === undefined) throw new Error('a fill needs a session');
  // A statement under way ends with its session.
  const end = () => Promise.all(sessions.map((session) => session.end().catch(() => undefined)));
  signal.addEventListener('abort', end, { once: true });
  try {
    const { rows } = await first.query("select to_regnamespace('bench_fill') is not null as found");
    if (rows[0]?.found === true) throw new Error('an earlier fill of this database was cut off: start with a new one');
    const startedAt = performance.now();
    const { messages, accounts, seed, days } = plan;
    await first.query(readFileSync(new URL('./fill.sql', import.meta.url), 'utf8'));
    await first.query('select bench_fill.plan($1, $2, $3, $4, $5)', [messages, accounts, seed, days, sessions.length]);
    const inParts = (step: string) =>
      Promise.all(sessions.map((session, part) => session.query(`select bench_fill.${step}($1)`, [part])));
    await inParts('plan_groups');
    await inParts('plan_entries');
    await first.query('create index on bench_fill.entry_plan (at_ms)');
    await first.query('analyze bench_fill.entry_plan');
    await inParts('write_entries');
    const plannedAt = performance.now();
    const standing = await readFillFactors(first);
    say(`planned: ${seconds(startedAt, plannedAt).toFixed(0)} s`);

    await setFillFactors(first, FINAL_FILL_FACTORS);
    await writeMessages(sessions, messages, signal, say);
    await setFillFactors(first, standing);
    await first.query('select bench_fill.finish()');
    await first.query('drop schema bench_fill cascade');
    const writtenAt = performance.now();
    for (const table of VACUUMED) await first.query(`vacuum (analyze) ${table}`);
    await first.query('checkpoint');
    const vacuumedAt = performance.now();
    return {
      plan: seconds(startedAt, plannedAt),
      messages: seconds(plannedAt, writtenAt),
      vacuum: seconds(writtenAt, vacuumedAt),
    };
  } finally {
    signal.removeEventListener('abort', end);
    await end();
  }
}

/** Each session takes the next slice of time, so that rows lie on the disk nearly in the order of their time. */
async function writeMessages(
  sessions: readonly pg.Client[],
  messages: number,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const slices = Math.ceil(messages / SLICE_MESSAGES);
  let next = 0;
  let written = 0;
  let saidAt = performance.now();
  await Promise.all(
    sessions.map(async (session) => {
      while (next < slices) {
        signal.throwIfAborted();
        const { rows } = await session.query<{ n: string }>('select bench_fill.fill_slice($1, $2) as n', [
          next++,
          slices,
        ]);
        written += Number(rows[0]?.n ?? 0);
        if (performance.now() - saidAt > 15_000) {
          saidAt = performance.now();
          say(`${written.toLocaleString('en-US')} messages written`);
        }
      }
    }),
  );
}

async function readFillFactors(session: pg.Client): Promise<FillFactors> {
  const { rows } = await session.query<{ relname: string; fill_factor: number }>(
    `select c.relname, coalesce(substring(o from 'fillfactor=(.*)')::integer, 100) as fill_factor
       from pg_class c left join unnest(c.reloptions) o on o like 'fillfactor=%'
      where c.oid in ('message_order'::regclass, 'segment'::regclass)`,
  );
  return Object.fromEntries(rows.map((row) => [row.relname, row.fill_factor]));
}

async function setFillFactors(session: pg.Client, factors: FillFactors): Promise<void> {
  for (const [table, factor] of Object.entries(factors)) {
    await session.query(`alter table ${table} set (fillfactor = ${factor})`);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'heliograph-bench-fill',
    options: SESSION_SETTINGS,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function seconds(fromMs: number, toMs: number): number {
  return (toMs - fromMs) / 1_000;
}
