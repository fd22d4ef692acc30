import { setTimeout as delay } from 'node:timers/promises';
import { messagesOf } from '../../harness/load/requests.js';
import type { Bench, Lane } from '../bench.js';
import { allDelivered } from '../checks.js';
import type { About, Window } from '../figures.js';
import { echoLane } from './accept.js';
import { feedWindow, keepUnderWay, type Lengths, type Moment } from './feeding.js';
import { drain, halfOf, type OurLoad, post, singles } from './loads.js';

/** Of an earlier scenario there may be a backlog. */
const FIRST_DELIVERY_TIMEOUT_MS = 600_000;
/** Of what one hot account reaches. */
const FLOOR_OF_MANY = 0.8;

/**
 * From accepted to delivered. First as much as the service takes with a fixed number of messages under way (so the
 * backlog cannot grow), of many accounts and of one, in turns with the echo while the machine is idle; then at half
 * that pace, for the time that a message takes when it has not to stand in a queue.
 */
export async function measureEndToEnd(bench: Bench): Promise<void> {
  const { many, hot } = await startDelivering(bench);
  const echo = echoLane(bench, 'echo-e2e', hot);
  await bench.inTurns([
    echo,
    closedLane(bench, hot, { id: 'hot-e2e', yardstick: echo.id }),
    closedLane(bench, many, { id: 'e2e', yardstick: 'hot-e2e' }),
  ]);
  if (!bench.options.smoke) await measureOpen(bench, many, 'e2e');
  bench.checks.push(await allDelivered(bench, [...many.accounts.ids, ...hot.accounts.ids]));
}

/** One hot account against 1,000, without the echo. */
export async function measureManyEndToEnd(bench: Bench): Promise<void> {
  const { many, hot } = await startDelivering(bench);
  await bench.inTurns([
    closedLane(bench, hot, { id: 'many-e2e-1' }),
    closedLane(bench, many, { id: 'many-e2e-1000', yardstick: 'many-e2e-1', floor: FLOOR_OF_MANY }),
  ]);
  await measureOpen(bench, many, 'many-e2e-1000');
}

async function startDelivering(bench: Bench) {
  await startWorker(bench);
  return { many: singles(bench, bench.accounts.many), hot: singles(bench, bench.accounts.e2e) };
}

/** @param title of whom the messages are */
export function closedLane(bench: Bench, load: OurLoad, about: Omit<About, 'title'>, title = load.title): Lane {
  return {
    ...about,
    title: `accepted to delivered, ${bench.options.outstanding} at once, ${title}`,
    measure: () => feed(bench, load),
  };
}

/** Requests at a fixed rate, whatever has been answered: how long accepting takes, and how long delivering. */
async function measureOpen(bench: Bench, load: OurLoad, closedId: string): Promise<void> {
  const perSecond = halfOf(bench.medianOf(closedId));
  const windows = await bench.eachWindow(() => openStretch(bench, load, perSecond));
  const how = `one every ${(1_000 / perSecond).toFixed(2)} ms, ${load.title}`;
  bench.add({
    id: `${closedId}-open-accept`,
    title: `single sends accepted, ${how}`,
    windows: windows.map(({ accepted }) => accepted),
  });
  bench.add({
    id: `${closedId}-open`,
    title: `accepted to delivered, ${how}`,
    windows: windows.map(({ delivered }) => delivered),
  });
}

/** A window of delivered messages, and when it was, in milliseconds since 1970. */
export interface Stretch extends Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A window of open load; then everything is delivered. */
export async function openStretch(
  bench: Bench,
  load: OurLoad,
  perSecond: number,
): Promise<{ readonly accepted: Window; readonly delivered: Stretch }> {
  const mark = async (): Promise<Moment> => ({ atMs: Date.now(), at: await bench.facts.now() });
  const warm = delay(bench.options.warmupMs).then(mark);
  const accepted = await bench.measure(load, { mode: 'open', perSecond });
  const to = await mark();
  await drain(bench);
  const { cores } = accepted;
  return { accepted, delivered: await deliveredOf(bench, load, await warm, to, { unexpected: {}, cores }) };
}

/**
 * A window in which no more messages are under way than the allowance lets through, unless told otherwise as many as
 * the run wants; then everything is delivered.
 */
export async function feed(
  bench: Bench,
  load: OurLoad,
  allowance = keepUnderWay(bench.options.outstanding),
  lengths?: Lengths,
): Promise<Stretch> {
  const { from, to, cores, backlog, load: sent } = await feedWindow(bench, load, allowance, lengths);
  await drain(bench);
  return deliveredOf(bench, load, from, to, { unexpected: sent.unexpected, cores, backlog });
}

/** To be asked when all of the load is delivered: what was delivered of it between two moments. */
async function deliveredOf(
  { facts }: Bench,
  { accounts }: OurLoad,
  from: Moment,
  to: Moment,
  rest: Pick<Window, 'unexpected' | 'cores' | 'backlog'>,
): Promise<Stretch> {
  const { delivered: _count, ...figures } = await facts.deliveredBetween(from.at, to.at, accounts.ids);
  return { ...figures, ...rest, fromMs: from.atMs, toMs: to.atMs };
}

/** Starts the worker. It has bound to the carrier when a first message comes through. */
export async function startWorker(bench: Bench): Promise<void> {
  bench.service.startWorker();
  await post(bench, bench.accounts.e2e, messagesOf(1));
  await drain(bench, FIRST_DELIVERY_TIMEOUT_MS);
}
