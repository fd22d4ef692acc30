import { setTimeout as delay } from 'node:timers/promises';
import { messagesOf } from '../../harness/load/requests.js';
import { median } from '../../harness/statistics.js';
import type { Bench, Lane, Measured } from '../bench.js';
import { figureOf } from '../bench.js';
import { allDelivered } from '../checks.js';
import type { Window } from '../figures.js';
import { echoLane } from './accept.js';
import { type Allowance, feedWindow, keepUnderWay } from './feeding.js';
import { drain, jobOf, post, type SendLoad, singles } from './loads.js';

/** Of an earlier scenario there may be a backlog. */
const FIRST_DELIVERY_TIMEOUT_MS = 600_000;
const DRAIN_TIMEOUT_MS = 60_000;
/** The open load, as a share of what the closed load has delivered: enough room to show latency without a queue. */
const OPEN_SHARE = 0.5;
/** Of what one hot account reaches. */
const FLOOR_OF_MANY = 0.8;

/**
 * From accepted to delivered. First as much as the service takes with a fixed number of messages under way (so the
 * backlog cannot grow), of many accounts and of one, in turns with the echo while the machine is idle; then at half
 * that pace, for the time that a message takes when it has not to stand in a queue.
 */
export async function measureEndToEnd(bench: Bench): Promise<void> {
  bench.service.startWorker();
  await awaitFirstDelivery(bench);
  const { many, hot } = loadsOf(bench);
  const echo = echoLane(bench, 'echo-e2e', hot);
  await bench.inTurns([
    echo,
    closedLane(bench, { id: 'hot-e2e', yardstick: echo.figure.id }, hot),
    closedLane(bench, { id: 'e2e', yardstick: 'hot-e2e' }, many),
  ]);
  if (!bench.options.smoke) await measureOpen(bench, many, 'e2e');
  bench.checks.push(await allDelivered(bench, [...many.accounts.ids, ...hot.accounts.ids]));
}

/** One hot account against 1,000, without the echo. */
export async function measureManyEndToEnd(bench: Bench): Promise<void> {
  bench.service.startWorker();
  await awaitFirstDelivery(bench);
  const { many, hot } = loadsOf(bench);
  await bench.inTurns([
    closedLane(bench, { id: 'many-e2e-1' }, hot),
    closedLane(bench, { id: 'many-e2e-1000', yardstick: 'many-e2e-1', floor: FLOOR_OF_MANY }, many),
  ]);
  await measureOpen(bench, many, 'many-e2e-1000');
}

function loadsOf(bench: Bench) {
  return { many: singles(bench, bench.accounts.many), hot: singles(bench, bench.accounts.e2e) };
}

function closedLane(bench: Bench, about: Pick<Lane['figure'], 'id' | 'yardstick' | 'floor'>, load: SendLoad): Lane {
  const { outstanding } = bench.options;
  const title = `accepted to delivered, ${outstanding} at once, ${load.title}`;
  return {
    figure: { title, unit: 'messages', ...about },
    measure: async () => ({ window: await feed(bench, load, keepUnderWay(outstanding)) }),
  };
}

/** Requests at a fixed rate, whatever has been answered: how long accepting takes, and how long delivering. */
async function measureOpen(bench: Bench, load: SendLoad, closedId: string): Promise<void> {
  const closed = bench.figures.find(({ id }) => id === closedId)?.windows ?? [];
  const perSecond = Math.max(1, Math.round(OPEN_SHARE * median(closed.map((window) => window.perSecond))));
  const accepted: Measured[] = [];
  const delivered: Measured[] = [];
  for (let round = 0; round < bench.options.windows; round++) {
    const { accepting, window } = await openStretch(bench, load, perSecond);
    accepted.push({ window: accepting });
    delivered.push({ window });
  }
  const how = `one every ${(1_000 / perSecond).toFixed(2)} ms, ${load.title}`;
  const unit = 'messages';
  bench.add(figureOf({ id: `${closedId}-open-accept`, title: `single sends accepted, ${how}`, unit }, accepted));
  bench.add(figureOf({ id: `${closedId}-open`, title: `accepted to delivered, ${how}`, unit }, delivered));
}

/** A window of delivered messages, and when it was, in milliseconds since 1970. */
export interface Stretch {
  readonly window: Window;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A window of open load; then everything is delivered. */
export async function openStretch(
  bench: Bench,
  load: SendLoad,
  perSecond: number,
): Promise<Stretch & { readonly accepting: Window }> {
  const { warmupMs } = bench.options;
  const mark = async () => ({ ms: Date.now(), at: await bench.facts.now() });
  const warm = delay(warmupMs).then(mark);
  const { window: accepting, result } = await bench.measure({ ...jobOf(load), perSecond }, 'open');
  const to = await mark();
  bench.countAccepted(load.accounts, result.answeredInAll);
  await drain(bench, DRAIN_TIMEOUT_MS);
  const from = await warm;
  const delivering = await delivered(bench, load.accounts.ids, from.at, to.at);
  const window = { ...delivering, unexpected: {}, cores: accepting.cores };
  return { accepting, window, fromMs: from.ms, toMs: to.ms };
}

async function delivered({ facts }: Bench, ids: readonly string[], from: string, to: string) {
  const { delivered: _count, ...rest } = await facts.deliveredBetween(ids, from, to);
  return rest;
}

/** The worker has bound to the carrier when a first message comes through. */
export async function awaitFirstDelivery(bench: Bench): Promise<void> {
  await post(bench, bench.accounts.e2e, messagesOf(1));
  await drain(bench, FIRST_DELIVERY_TIMEOUT_MS);
}

/** A window in which no more messages are under way than the allowance lets through; then everything is delivered. */
export async function feed(...about: Parameters<typeof feedStretch>): Promise<Window> {
  return (await feedStretch(...about)).window;
}

/** The same, with its time. */
export async function feedStretch(
  bench: Bench,
  load: SendLoad,
  allowance: Allowance,
  lengths?: { readonly warmupMs: number; readonly windowMs: number },
): Promise<Stretch> {
  const { from, to, cores, load: sent } = await feedWindow(bench, load, allowance, lengths);
  bench.countAccepted(load.accounts, sent.answeredInAll);
  await drain(bench, DRAIN_TIMEOUT_MS);
  const backlog = { start: from.undelivered, end: to.undelivered };
  const figures = await delivered(bench, load.accounts.ids, from.at, to.at);
  const window = { ...figures, unexpected: sent.unexpected, cores, backlog };
  const sinceEpoch = ({ atMs }: { readonly atMs: number }) => performance.timeOrigin + atMs;
  return { window, fromMs: sinceEpoch(from), toMs: sinceEpoch(to) };
}
