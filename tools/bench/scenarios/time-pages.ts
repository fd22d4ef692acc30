import type { Client } from 'pg';
import { percentile } from '../../harness/statistics.js';
import type { Bench } from '../bench.js';
import type { PageTimes } from '../figures.js';

/** One kind of page, and calls of the functions that answer it, as SQL. */
export type TimedPage = Pick<PageTimes, 'list' | 'page' | 'p99MaxMs'> & { readonly calls: readonly string[] };

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
const PAGES: readonly (readonly [page: string, numberOf: (pages: number) => number])[] = [
  ['first page', () => 1],
  ['middle page', (pages) => Math.ceil(pages / 2)],
  ['last page', (pages) => pages],
  ['any page', (pages) => 1 + Math.floor(Math.random() * pages)],
];

/** The pages of lists. Each sample is of another account, so that what is read was seldom read before. */
export function timePages(bench: Bench, database: string): Promise<PageTimes[]> {
  return timeCalls(bench, database, async (client) => {
    const timed: TimedPage[] = [];
    for (const { list, call, others, total: column } of LISTS) {
      const draw = await accountsBySize(client, column);
      for (const [page, numberOf] of PAGES) {
        const calls = Array.from({ length: SAMPLES + UNCOUNTED }, () => {
          const { accountId, total } = draw();
          const number = numberOf(Math.max(1, Math.ceil(total / PAGE_LIMIT)));
          return `${call}(${accountId}, ${number}, ${PAGE_LIMIT}${others})`;
        });
        timed.push({ list, page, p99MaxMs: P99_MAX_MS, calls });
      }
    }
    return timed;
  });
}

/**
 * How long the server takes for pages, as EXPLAIN ANALYZE tells it: without the network and without the gateway. The
 * first calls of each kind are not counted.
 */
export async function timeCalls(
  { service, signal }: Bench,
  database: string,
  pagesOf: (client: Client) => Promise<readonly TimedPage[]>,
): Promise<PageTimes[]> {
  const client = await service.postgres.connect('heliograph-bench-pages');
  try {
    const times: PageTimes[] = [];
    for (const { calls, ...about } of await pagesOf(client)) {
      const costs: Cost[] = [];
      for (const call of calls) {
        signal.throwIfAborted();
        costs.push(await costOf(client, call));
      }
      const counted = costs.slice(UNCOUNTED);
      const ms = counted.map((cost) => cost.ms).sort((a, b) => a - b);
      const blocks = counted.map((cost) => cost.blocks).sort((a, b) => a - b);
      const [p50Ms, p99Ms, maxMs] = [percentile(ms, 0.5), percentile(ms, 0.99), percentile(ms, 1)];
      const p99Blocks = percentile(blocks, 0.99);
      times.push({ ...about, database, samples: counted.length, p50Ms, p99Ms, maxMs, p99Blocks });
    }
    return times;
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Cost {
  readonly ms: number;
  readonly blocks: number;
}

interface ExplainedQuery {
  readonly 'Execution Time': number;
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}

/** @param call of the function that answers the page */
async function costOf(client: Client, call: string): Promise<Cost> {
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
  client: Client,
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
