import { Child } from '../../harness/child.js';
import { HEARD_STATUSES, hearEvents } from '../../harness/event-receiver.js';
import type { Bench } from '../bench.js';
import { allDelivered } from '../checks.js';
import type { Window } from '../figures.js';
import type { ReceiverProgram } from '../receiver/main.js';
import { closedLane, feed, openStretch, type Stretch, startWorker } from './end-to-end.js';
import { halfOf, type OurLoad, singles } from './loads.js';

const ANSWER_TIMEOUT_MS = 10_000;
const LAST_EVENT_TIMEOUT_MS = 120_000;
/** Of what is delivered without webhooks. */
const FLOOR = 0.9;
const EVENTS_PER_SECOND_MIN = 3_000;
/** At half load, for the time that an event takes when the machine is not full. */
const OPEN_P99_MAX_MS = 1_000;

type Receiver = Child<ReceiverProgram>;

/**
 * What webhooks cost, and how fast events are told: accepted to delivered without webhooks and with one of each
 * account, in turns, and what their receiver gets meanwhile; then at half of that pace how long an event takes from the
 * change of its message. The receiver is on this machine, in a process of its own.
 */
export async function measureWebhooks(bench: Bench): Promise<void> {
  const { many, e2e, heard } = bench.accounts;
  await startWorker(bench);
  const receiver: Receiver = new Child(new URL('../receiver/main.js', import.meta.url));
  bench.teardown.add(() => receiver.close());
  bench.programs.set(receiver.pid, 'receiver');
  await hearEvents(bench.service.port, heard.apiKeys, await receiver.ask('url', ANSWER_TIMEOUT_MS));

  const all = singles(bench, heard);
  await measureTurns(bench, receiver, singles(bench, e2e), singles(bench, heard, 1));
  await measureTurns(bench, receiver, singles(bench, many, heard.ids.length), all);
  await measureOpen(bench, receiver, all);
  const expected = await bench.facts.changesTo(HEARD_STATUSES, heard.ids);
  const [changes, repeats] = await Promise.all([
    receiver.ask('changes', ANSWER_TIMEOUT_MS),
    receiver.ask('repeats', ANSWER_TIMEOUT_MS),
  ]);
  bench.checks.push(await allDelivered(bench, [...e2e.ids, ...many.ids, ...heard.ids]));
  const detail = `${expected} changes, ${changes} told, ${repeats} of them again`;
  bench.check('every change of a message was told to its webhook', changes === expected, detail);
}

/** Closed load: without webhooks, and with them. */
async function measureTurns(bench: Bench, receiver: Receiver, without: OurLoad, heard: OurLoad): Promise<void> {
  const off = closedLane(bench, without, { id: `webhooks-off-${heard.id}` }, `${heard.title}, no webhooks`);
  const about = { id: closedId(heard), yardstick: off.id, floor: FLOOR };
  const on = closedLane(bench, heard, about, `${heard.title}, with webhooks`);
  const events: Window[] = [];
  const measure = async () => {
    const stretch = await feed(bench, heard);
    events.push(await heardIn(bench, receiver, stretch));
    return stretch;
  };
  await bench.inTurns([off, { ...on, measure }]);
  bench.add({
    id: `webhooks-events-${heard.id}`,
    title: `events told meanwhile, ${heard.title}`,
    unit: 'events',
    perSecondMin: EVENTS_PER_SECOND_MIN,
    windows: events,
  });
}

/** Requests at half of the closed load's pace. */
async function measureOpen(bench: Bench, receiver: Receiver, load: OurLoad): Promise<void> {
  const perSecond = halfOf(bench.medianOf(closedId(load)));
  const events: Window[] = [];
  const windows = await bench.eachWindow(async () => {
    const { delivered } = await openStretch(bench, load, perSecond);
    events.push(await heardIn(bench, receiver, delivered));
    return delivered;
  });
  const how = `${perSecond}/s, ${load.title}, with webhooks`;
  bench.add({ id: 'webhooks-open', title: `accepted to delivered, ${how}`, windows });
  bench.add({
    id: 'webhooks-open-events',
    title: `events told after the change, ${how}`,
    unit: 'events',
    p99MaxMs: OPEN_P99_MAX_MS,
    windows: events,
  });
}

function closedId({ id }: OurLoad): string {
  return `webhooks-on-${id}`;
}

/** What the receiver got in that stretch, when the last event has arrived. */
async function heardIn(bench: Bench, receiver: Receiver, { fromMs, toMs, cores }: Stretch): Promise<Window> {
  const expected = await bench.facts.changesTo(HEARD_STATUSES, bench.accounts.heard.ids);
  await bench.until('every event has arrived', LAST_EVENT_TIMEOUT_MS, async () => {
    return (await receiver.ask('changes', ANSWER_TIMEOUT_MS)) >= expected;
  });
  const { perSecond, lag } = await receiver.ask('between', ANSWER_TIMEOUT_MS, fromMs, toMs);
  return { perSecond, ...lag, unexpected: {}, cores };
}
