import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { PostgresServer } from '../../harness/servers.js';
import { wholeNumber } from '../../harness/table.js';
import type { FillPlan } from './command-line.js';

/** Messages in one transaction. */
const SLICE_MESSAGES = 50_000;
const SESSION_SETTINGS = '-c synchronous_commit=off -c work_mem=256MB -c maintenance_work_mem=512MB -c jit=off';
/** A statement takes as long as it takes: the run has a bound. */
const UNBOUNDED = 0;
const VACUUM = `vacuum (analyze) message_order, order_exception, order_label, segment, order_transition, journal_entry,
  deposit, account_balance, account, idempotency_key`;

/**
 * Rows are written as they are in the end, while the service writes them small and lets them grow into the room that
 * the fill factor leaves. Pages with that room still free would take one new row each, wherever they lie on the disk.
 */
const FINAL_FILL_FACTORS: FillFactors = { message_order: 92, segment: 98 };

type FillFactors = Readonly<Record<string, number>>;

/**
 * Fills a migrated database, all in statements of the server, in several sessions.
 *
 * @returns how long each part took, in seconds
 * @throws Error when an earlier fill of it was cut off: its accounts have messages and no balances
 */
export async function fillDatabase(
  url: string,
  plan: FillPlan,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<{ readonly plan: number; readonly messages: number; readonly vacuum: number }> {
  const server = PostgresServer.at(url);
  const connect = () => server.connect('heliograph-bench-fill', SESSION_SETTINGS, UNBOUNDED);
  const sessions = await Promise.all(Array.from({ length: plan.sessions }, connect));
  const [first] = sessions;
  if (first === undefined) throw new Error('a fill needs a session');
  // A statement under way ends with its session.
  const end = () => Promise.all(sessions.map((session) => session.end().catch(() => undefined)));
  signal.addEventListener('abort', end, { once: true });
  try {
    const { rows } = await first.query("select to_regnamespace('bench_fill') is not null as found");
    if (rows[0]?.found === true) throw new Error('an earlier fill of this database was cut off: start with a new one');
    const planned = await secondsOf(() => planMessages(first, sessions, plan));
    say(`planned: ${planned.toFixed(0)} s`);
    const messages = await secondsOf(async () => {
      const standing = await readFillFactors(first);
      await setFillFactors(first, FINAL_FILL_FACTORS);
      await writeMessages(sessions, plan.messages, signal, say);
      await setFillFactors(first, standing);
      await first.query('select bench_fill.finish()');
      await first.query('drop schema bench_fill cascade');
    });
    const vacuum = await secondsOf(async () => {
      await first.query(VACUUM);
      await first.query('checkpoint');
    });
    return { plan: planned, messages, vacuum };
  } finally {
    signal.removeEventListener('abort', end);
    await end();
  }
}

async function planMessages(first: Client, sessions: readonly Client[], plan: FillPlan): Promise<void> {
  const { messages, accounts, seed, days } = plan;
  await first.query(readFileSync(new URL('./fill.sql', import.meta.url), 'utf8'));
  await first.query('select bench_fill.plan($1, $2, $3, $4, $5)', [messages, accounts, seed, days, sessions.length]);
  const inParts = (step: string) =>
    Promise.all(sessions.map((session, part) => session.query(`select bench_fill.${step}($1)`, [part])));
  await inParts('plan_entries');
  await first.query('create index on bench_fill.entry_plan (at_ms)');
  await first.query('analyze bench_fill.entry_plan');
  await inParts('write_entries');
}

/** Each session takes the next slice of time, so that rows lie on the disk nearly in the order of their time. */
async function writeMessages(
  sessions: readonly Client[],
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
        const slice = [next++, slices];
        const { rows } = await session.query<{ n: string }>('select bench_fill.fill_slice($1, $2) as n', slice);
        written += Number(rows[0]?.n ?? 0);
        if (performance.now() - saidAt > 15_000) {
          saidAt = performance.now();
          say(`${wholeNumber(written)} messages written`);
        }
      }
    }),
  );
}

async function readFillFactors(session: Client): Promise<FillFactors> {
  const { rows } = await session.query<{ relname: string; fill_factor: number }>(
    `select c.relname, coalesce(substring(o from 'fillfactor=(.*)')::integer, 100) as fill_factor
       from pg_class c left join unnest(c.reloptions) o on o like 'fillfactor=%'
      where c.oid in ('message_order'::regclass, 'segment'::regclass)`,
  );
  return Object.fromEntries(rows.map((row) => [row.relname, row.fill_factor]));
}

async function setFillFactors(session: Client, factors: FillFactors): Promise<void> {
  for (const [table, factor] of Object.entries(factors)) {
    await session.query(`alter table ${table} set (fillfactor = ${factor})`);
  }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
