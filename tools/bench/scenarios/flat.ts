import { addApiKey, bookDeposit, Database } from '#persistence';
import type { DatabasePlace } from '../../harness/system.js';
import type { Bench, Lane } from '../bench.js';
import type { BenchOptions } from '../command-line.js';
import type { Figure } from '../figures.js';
import { fillDatabase } from '../fill/fill-database.js';
import { filledFolder, isFilled } from '../fill/filled-cluster.js';
import { type BenchRun, startBench } from '../start-bench.js';
import { send } from './accept.js';
import { awaitFirstDelivery, feed } from './end-to-end.js';
import { keepUnderWay } from './feeding.js';
import { drain, type SendLoad, singles } from './loads.js';
import { timePages } from './time-pages.js';

/** Of the figure on the empty database; below it, growth costs something. */
const FLOOR = 0.9;
const OK = 200;
/** The empty database has one account with these, so that its pages are as full as the others'. */
const PAGED = { messages: 4_000, accounts: 1, days: 90, seed: 1, sessions: 1 };
const DEPOSITS_MIN = 60;
const MESSAGES_LIMIT = 100;
const DEPOSITS_LIMIT = 20;
const DRAIN_TIMEOUT_MS = 15 * 60_000;

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
export async function measureFlat(empty: Bench, run: BenchRun): Promise<void> {
  const { options, say, signal } = run;
  say('starting the service on the filled database ...');
  const filled = await startBench(run, filledPlace(options));
  empty.filled = filled;
  await fillDatabase(empty.service.postgres.url, PAGED, signal, () => undefined);
  const sides = [await sideOf('empty', empty), await sideOf('filled', filled)];
  for (const { name, bench } of sides) {
    empty.pages.push(...(await timePages(name, bench.service.postgres.url, signal)));
  }

  await empty.inTurns(sides.flatMap((side) => side.reads.map((read) => readLane(side, read))));
  await measureSends(empty, sides);
}

async function measureSends(empty: Bench, sides: readonly Side[]): Promise<void> {
  for (const { bench } of sides) {
    bench.service.startWorker();
    await awaitFirstDelivery(bench);
  }
  const { outstanding } = empty.options;
  await empty.inTurns(
    sides.map((side) => ({
      figure: figureOf(side, 'flat-e2e', `accepted to delivered, ${outstanding} at once`, 'messages'),
      measure: async () => ({ window: await feed(side.bench, loadOf(side), keepUnderWay(outstanding)) }),
    })),
  );
  for (const { bench } of sides) await bench.service.stopWorker();
  await empty.inTurns(
    sides.map((side) => ({
      figure: figureOf(side, 'flat-single', 'single sends accepted, worker stopped', 'messages'),
      measure: () => send(side.bench, loadOf(side)),
    })),
  );
  // A database that is kept must not keep a backlog.
  for (const { bench } of sides) bench.service.startWorker();
  for (const { bench } of sides) await drain(bench, DRAIN_TIMEOUT_MS);
}

function loadOf({ bench }: Side): SendLoad {
  return singles(bench, bench.accounts.many);
}

function readLane(side: Side, { id, title, path }: Read): Lane {
  const { bench, apiKey } = side;
  const request = { kind: 'read', apiKeys: [apiKey], path } as const;
  const { connections } = bench.options;
  return {
    figure: figureOf(side, `flat-read-${id}`, title, 'requests'),
    measure: () => bench.measure({ port: bench.service.port, request, expectedStatus: OK, connections }),
  };
}

/** The figure of the filled database is set against that of the empty one. */
function figureOf({ name }: Side, id: string, title: string, unit: Figure['unit']): Lane['figure'] {
  const yardstick = name === 'filled' ? { yardstick: `${id}-empty`, floor: FLOOR } : {};
  return { id: `${id}-${name}`, title: `${title}, ${name}`, unit, ...yardstick };
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

/** Where the filled database is. @throws Error when there is none */
export function filledPlace({ database, dir }: Pick<BenchOptions, 'database' | 'dir'>): DatabasePlace {
  const filledDatabase = database ?? filledFolder(dir);
  if (/^postgres(ql)?:\/\//.test(filledDatabase)) return { url: filledDatabase };
  if (isFilled(filledDatabase)) return { folder: filledDatabase };
  throw new Error(`there is no filled database in ${filledDatabase}: make one with npm run bench:fill`);
}
