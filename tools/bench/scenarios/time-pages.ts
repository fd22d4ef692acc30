import pg from 'pg';
import { percentile } from '../../harness/statistics.js';

/** Execution times of the server for one kind of page, in milliseconds. */
export interface PageTimes {
  readonly database: string;
  readonly list: 'messages' | 'deposits';
  /** `any page`: of a message that was drawn at random, so of large accounts more often than of small ones. */
  readonly page: string;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Blocks of the database that 99 of 100 pages touch at most: a count that a busy machine does not change. */
  readonly p99Blocks: number;
  /** What `p99Ms` should not be above. */
  readonly p99MaxMs: number;
}

const PAGE_LIMIT = 100;
const SAMPLES = 1_000;
/** Plans of a new session, and its caches. */
const UNCOUNTED = 20;
/** What the server may take for a page of a list. */
const P99_MAX_MS = 5;

const LISTS = [
  { list: 'messages', call: 'find_orders', others: ', null'.repeat(7), total: 'last_sequence' },
  { list: 'deposits', call: 'deposits_page', others: ', null', total: 'last_deposit' },
] as const;

/** The number of a page, of so many. */
const PAGES = [
  { page: 'first page', numberOf: () => 1 },
  { page: 'middle page', numberOf: (pages: number) => Math.ceil(pages / 2) },
  { page: 'last page', numberOf: (pages: number) => pages },
  { page: 'any page', numberOf: (pages: number) => 1 + Math.floor(Math.random() * pages) },
] as const;

/**
 * How long the server takes for a page, as EXPLAIN ANALYZE tells it: without the network and without the gateway. The
 * accounts are drawn by their size; each sample is of another one, so that what is read was seldom read before.
 */
export async function timePages(database: string, url: string, signal: AbortSignal): Promise<PageTimes[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'heliograph-bench-pages' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const times: PageTimes[] = [];
    for (const { list, call, others, total: column } of LISTS) {
      const draw = await accountsBySize(client, column);
      for (const { page, numberOf } of PAGES) {
        const calls = Array.from({ length: SAMPLES + UNCOUNTED }, () => {
          const { accountId, total } = draw();
          const number = numberOf(Math.max(1, Math.ceil(total / PAGE_LIMIT)));
          return `${call}(${accountId}, ${number}, ${PAGE_LIMIT}${others})`;
        });
        times.push({ database, list, page, p99MaxMs: P99_MAX_MS, ...(await timeCalls(client, calls, signal)) });
      }
    }
    return times;
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface ExplainedQuery {
  readonly 'Execution Time': number;
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

/** The first calls are not counted. */
export async function timeCalls(
  client: pg.Client,
  calls: readonly string[],
  signal: AbortSignal,
): Promise<Pick<PageTimes, 'samples' | 'p50Ms' | 'p99Ms' | 'maxMs' | 'p99Blocks'>> {
  const costs: { readonly ms: number; readonly blocks: number }[] = [];
  for (const call of calls) {
    signal.throwIfAborted();
    costs.push(await costOf(client, call));
  }
  const counted = costs.slice(UNCOUNTED);
  const ms = counted.map((cost) => cost.ms).sort((a, b) => a - b);
  const blocks = counted.map((cost) => cost.blocks).sort((a, b) => a - b);
  const [p50Ms, p99Ms, maxMs] = [percentile(ms, 0.5), percentile(ms, 0.99), percentile(ms, 1)];
  return { samples: counted.length, p50Ms, p99Ms, maxMs, p99Blocks: percentile(blocks, 0.99) };
}

/** @param call of the function that answers the page */
async function costOf(client: pg.Client, call: string): Promise<{ readonly ms: number; readonly blocks: number }> {
  const { rows } = await client.query<{ 'QUERY PLAN': [ExplainedQuery] }>(
    `explain (analyze, buffers, timing off, format json) select * from ${call}`,
  );
  const explained = rows[0]?.['QUERY PLAN'][0];
  if (explained === undefined) throw new Error('EXPLAIN said nothing');
  const { Plan: plan } = explained;
  return { ms: explained['Execution Time'], blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

/** Draws an account, each as likely as it is large. */
export async function accountsBySize(
  client: pg.Client,
  column: string,
): Promise<() => { accountId: string; total: number }> {
  const { rows } = await client.query<{ account_id: string; total: string }>(
    `select account_id, ${column} as total from account_balance where ${column} > 0`,
  );
  const accounts = rows.map((row) => ({ accountId: row.account_id, total: Number(row.total) }));
  const all = accounts.reduce((sum, { total }) => sum + total, 0);
  return () => {
    let place = Math.random() * all;
    const drawn = accounts.find(({ total }) => {
      place -= total;
      return place < 0;
    });
    return drawn ?? accounts[0] ?? { accountId: '0', total: 0 };
  };
}
