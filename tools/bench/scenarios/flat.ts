import type { Bench, Lane } from '../bench.js';
import type { About, Window } from '../figures.js';
import { fillDatabase } from '../fill/fill-database.js';
import { feed, startWorker } from './end-to-end.js';
import { filledBench, largestAccount } from './filled.js';
import { drain, reads, singles } from './loads.js';
import { timePages } from './time-pages.js';

/** Of the figure on the empty database; below it, growth costs something. */
const FLOOR = 0.9;
/** The empty database has one account with these, so that its pages are as full as the others'. */
const PAGED = { messages: 4_000, accounts: 1, days: 90, seed: 1, sessions: 1 };
const DEPOSITS_MIN = 60;
const MESSAGES_LIMIT = 100;
const DEPOSITS_LIMIT = 20;
const DRAIN_TIMEOUT_MS = 15 * 60_000;

interface Side {
  readonly name: 'empty' | 'filled';
  readonly bench: Bench;
}

/** The same service on an empty and on a filled database, both running, window by window in turns. */
export async function measureFlat(empty: Bench): Promise<void> {
  const filled = await filledBench(empty);
  await fillDatabase(empty.service.postgres.url, PAGED, empty.signal, () => undefined);
  const sides: readonly Side[] = [
    { name: 'empty', bench: empty },
    { name: 'filled', bench: filled },
  ];
  const lanes: Lane[] = [];
  for (const side of sides) lanes.push(...(await readLanes(side)));
  for (const { name, bench } of sides) empty.pages.push(...(await timePages(bench, name)));
  await empty.inTurns(lanes);

  const onBoth = (id: string, title: string, measure: (bench: Bench) => Promise<Window>) =>
    empty.inTurns(sides.map((side) => laneOf(side, { id, title }, measure)));
  for (const { bench } of sides) await startWorker(bench);
  await onBoth('flat-e2e', `accepted to delivered, ${empty.options.outstanding} at once`, (bench) =>
    feed(bench, singles(bench, bench.accounts.many)),
  );
  for (const { bench } of sides) await bench.service.stopWorker();
  await onBoth('flat-single', 'single sends accepted, worker stopped', (bench) =>
    bench.measure(singles(bench, bench.accounts.many)),
  );
  // A database that is kept must not keep a backlog.
  for (const { bench } of sides) bench.service.startWorker();
  for (const { bench } of sides) await drain(bench, DRAIN_TIMEOUT_MS);
}

/** The figure of the filled database is set against that of the empty one. */
function laneOf({ name, bench }: Side, about: About, measure: (bench: Bench) => Promise<Window>): Lane {
  return {
    ...about,
    id: `${about.id}-${name}`,
    title: `${about.title}, ${name}`,
    ...(name === 'filled' && { yardstick: `${about.id}-empty`, floor: FLOOR }),
    measure: () => measure(bench),
  };
}

/** What the largest account reads: its summary, its balance, and its first, middle and last full pages. */
async function readLanes(side: Side): Promise<Lane[]> {
  const { apiKey, messages, deposits } = await largestAccount(side.bench, DEPOSITS_MIN);
  const wanted = [
    { id: 'summary', title: '/v1/account', path: '/v1/account' },
    { id: 'balance', title: '/v1/account/balance', path: '/v1/account/balance' },
    ...pagesOf('messages', messages, MESSAGES_LIMIT),
    ...pagesOf('deposits', deposits, DEPOSITS_LIMIT),
  ];
  return wanted.map(({ id, title, path }) =>
    laneOf(side, { id: `flat-read-${id}`, title: `GET ${title}`, unit: 'requests' }, (bench) =>
      bench.measure(reads(bench, [apiKey], path)),
    ),
  );
}

function pagesOf(list: string, total: number, limit: number) {
  const fullPages = Math.max(1, Math.floor(total / limit));
  const numbers = { first: 1, middle: Math.ceil(fullPages / 2), last: fullPages };
  const path = `/v1/account/${list}?limit=${limit}`;
  return Object.entries(numbers).map(([which, page]) => ({
    id: `${list}-${which}`,
    title: `${path}, ${which} page`,
    path: `${path}&page=${page}`,
  }));
}
