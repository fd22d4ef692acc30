import { addApiKey, bookDeposit, Database } from '#persistence';
import type { DatabasePlace } from '../../harness/system.js';
import type { Bench } from '../bench.js';
import type { Figure, Window } from '../figures.js';
import { fillDatabase } from '../fill/fill-database.js';
import { filledFolder, isFilled } from '../fill/filled-cluster.js';
import { type BenchRun, startBench } from '../start-bench.js';
import { send } from './accept.js';
import { awaitFirstDelivery, feed } from './end-to-end.js';
import { drain, singles } from './loads.js';
import { type PageTimes, timePages } from './time-pages.js';

/** Of the figure on the empty database; below it, growth costs something. */
const FLOOR = 0.9;
const OK = 200;
/** The empty database has one account with these, so that its pages are as full as the others'. */
const PAGED = { messages: 4_000, accounts: 1, days: 90, seed: 1, sessions: 1 };
const DEPOSITS_MIN = 60;
const MESSAGES_LIMIT = 100;
const DEPOSITS_LIMIT = 20;
const DRAIN_TIMEOUT_MS = 15 * 60_000;

export interface FlatReport {
  /** The bench on the filled database, to be checked like the other. */
  readonly bench: Bench;
  readonly pages: readonly PageTimes[];
}

interface Read {
  readonly id: string;
  readonly title: string;
  readonly path: string;
}

interface Side {
  readonly name: 'empty' | 'filled';
  readonly bench: Bench;
  readonly apiKey: string;
  readonly reads: readonly Read[];
}

/** The same service on an empty and on a filled database, both running, window by window in turns. */
export async function measureFlat(empty: Bench, run: BenchRun): Promise<FlatReport> {
  const { options, say, signal } = run;
  say('starting the service on the filled database ...');
  const filled = await startBench(run, placeOf(options.database ?? filledFolder(options.dir)));
  await fillDatabase(
    empty.service.postgres.url,
    { ...PAGED, databaseUrl: undefined, dir: options.dir, isVerified: false },
    signal,
    () => undefined,
  );
  const sides = [await sideOf('empty', empty), await sideOf('filled', filled)];
  const pages = [];
  for (const { name, bench } of sides) pages.push(...(await timePages(name, bench.service.postgres.url, signal)));

  await inTurns(sides, 'flat-read', 'requests', async ({ bench, apiKey, reads }) => {
    const windows: Record<string, { title: string; window: Window }> = {};
    for (const { id, title, path } of reads) {
      const request = { kind: 'read', apiKeys: [apiKey], path } as const;
      const { connections } = options;
      const { window } = await bench.measure({ port: bench.service.port, request, expectedStatus: OK, connections });
      windows[id] = { title, window };
    }
    return windows;
  });
  await measureSends(sides);
  return { bench: filled, pages };
}

async function measureSends(sides: readonly Side[]): Promise<void> {
  for (const { bench } of sides) {
    bench.service.startWorker();
    await awaitFirstDelivery(bench);
  }
  await inTurns(sides, 'flat', 'messages', async ({ bench }) => {
    const window = await feed(
      bench,
      singles(bench, bench.accounts.many),
      (undelivered) => bench.options.outstanding - undelivered,
    );
    return { e2e: { title: `accepted to delivered, ${bench.options.outstanding} under way`, window } };
  });
  for (const { bench } of sides) await bench.service.stopWorker();
  await inTurns(sides, 'flat', 'messages', async ({ bench }) => {
    const { window } = await send(bench, singles(bench, bench.accounts.many));
    return { single: { title: 'single sends accepted, worker stopped', window } };
  });
  // A database that is kept must not keep a backlog.
  for (const { bench } of sides) bench.service.startWorker();
  for (const { bench } of sides) await drain(bench, DRAIN_TIMEOUT_MS);
}

/** Windows of each side in turns, the first one changing, and a figure of each side for everything that was measured. */
async function inTurns(
  sides: readonly Side[],
  prefix: string,
  unit: Figure['unit'],
  measure: (side: Side) => Promise<Record<string, { title: string; window: Window }>>,
): Promise<void> {
  const figures = new Map<string, { side: Side; title: string; windows: Window[] }>();
  const rounds = sides[0]?.bench.options.windows ?? 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      for (const [id, { title, window }] of Object.entries(await measure(side))) {
        const key = `${prefix}-${id}-${side.name}`;
        const figure = figures.get(key) ?? { side, title, windows: [] };
        figure.windows.push(window);
        figures.set(key, figure);
      }
    }
  }
  const [first] = sides;
  for (const [id, { side, title, windows }] of figures) {
    const yardstick = side.name === 'filled' ? { yardstick: id.replace(/-filled$/, '-empty'), floor: FLOOR } : {};
    first?.bench.add({ id, title: `${title}, ${side.name}`, unit, windows, ...yardstick });
  }
}

/** The account with the most messages, a key for it, and its first, middle and last full pages. */
async function sideOf(name: Side['name'], bench: Bench): Promise<Side> {
  const database = await Database.open({
    url: bench.service.postgres.url,
    poolSize: 2,
    applicationName: 'heliograph-bench-fixtures',
  });
  try {
    const [row] = await database.query<{ account_id: string; messages: string; deposits: string }>(
      `select account_id, last_sequence as messages, last_deposit as deposits from account_balance
        order by last_sequence desc limit 1`,
    );
    const accountId = row?.account_id ?? '';
    let deposits = Number(row?.deposits ?? 0);
    for (; deposits < DEPOSITS_MIN; deposits += 1) {
      await bookDeposit(database, accountId, { amount: 1_000_000n, currency: 'EUR' });
    }
    const { apiKey } = await addApiKey(database, accountId);
    const reads = [
      { id: 'summary', title: 'GET /v1/account', path: '/v1/account' },
      { id: 'balance', title: 'GET /v1/account/balance', path: '/v1/account/balance' },
      ...pagesOf('messages', Number(row?.messages ?? 0), MESSAGES_LIMIT),
      ...pagesOf('deposits', deposits, DEPOSITS_LIMIT),
    ];
    return { name, bench, apiKey, reads };
  } finally {
    await database.close();
  }
}

function pagesOf(list: string, total: number, limit: number): Read[] {
  const fullPages = Math.max(1, Math.floor(total / limit));
  const numbers = { first: 1, middle: Math.ceil(fullPages / 2), last: fullPages };
  return Object.entries(numbers).map(([which, page]) => ({
    id: `${list}-${which}`,
    title: `GET /v1/account/${list}?limit=${limit}, ${which} page`,
    path: `/v1/account/${list}?limit=${limit}&page=${page}`,
  }));
}

function placeOf(filledDatabase: string): DatabasePlace {
  if (/^postgres(ql)?:\/\//.test(filledDatabase)) return { url: filledDatabase };
  if (isFilled(filledDatabase)) return { folder: filledDatabase };
  throw new Error(`there is no filled database in ${filledDatabase}: make one with npm run bench:fill`);
}
