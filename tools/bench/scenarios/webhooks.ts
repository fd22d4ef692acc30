import { globalAgent } from 'node:http';
import { Child } from '../../harness/child.js';
import { exchange } from '../../harness/http.js';
import { median } from '../../harness/statistics.js';
import type { Bench, Lane, Measured } from '../bench.js';
import { figureOf } from '../bench.js';
import { allDelivered } from '../checks.js';
import type { BenchAccounts } from '../fixtures.js';
import type { ReceiverProgram } from '../receiver/main.js';
import type { BenchRun } from '../start-bench.js';
import { awaitFirstDelivery, feedStretch, openStretch, type Stretch } from './end-to-end.js';
import { keepUnderWay } from './feeding.js';
import { type SendLoad, singles } from './loads.js';

const HEARD_STATUSES = ['sent', 'delivered', 'undelivered', 'failed', 'unknown', 'canceled'] as const;
const ANSWER_TIMEOUT_MS = 10_000;
const LAST_EVENT_TIMEOUT_MS = 120_000;
/** Of what is delivered without webhooks. */
const FLOOR = 0.9;
const EVENTS_PER_SECOND_MIN = 3_000;
/** Of the closed load, for the time that an event takes when the machine is not full. */
const OPEN_SHARE = 0.5;
const OPEN_P99_MAX_MS = 1_000;

type Receiver = Child<ReceiverProgram>;

/**
 * What webhooks cost, and how fast events are told: accepted to delivered without webhooks and with one of each
 * account, in turns, and what their receiver gets meanwhile; then at half of that pace how long an event takes from the
 * change of its message. The receiver is on this machine, in a process of its own.
 */
export async function measureWebhooks(bench: Bench, run: BenchRun): Promise<void> {
  const { many, e2e, heard } = bench.accounts;
  bench.service.startWorker();
  await awaitFirstDelivery(bench);
  const receiver: Receiver = new Child(new URL('../receiver/main.js', import.meta.url));
  run.teardown.add(() => receiver.close());
  bench.programs.set(receiver.pid, 'receiver');
  await addWebhooks(bench, heard, await receiver.ask('url', ANSWER_TIMEOUT_MS));

  const all = singles(bench, heard);
  await measureTurns(bench, receiver, singles(bench, e2e), singles(bench, heard, 1));
  await measureTurns(bench, receiver, singles(bench, many, heard.ids.length), all);
  await measureOpen(bench, receiver, all);
  const expected = await bench.facts.changesTo(HEARD_STATUSES, heard.ids);
  const [changes, repeats] = await Promise.all([
    receiver.ask('changes', ANSWER_TIMEOUT_MS),
    receiver.ask('repeats', ANSWER_TIMEOUT_MS),
  ]);
  bench.checks.push(await allDelivered(bench, [...e2e.ids, ...many.ids, ...heard.ids]), {
    name: 'every change of a message was told to its webhook',
    ok: changes === expected,
    detail: `${expected} changes, ${changes} told, ${repeats} of them again`,
  });
}

async function addWebhooks({ service }: Bench, { apiKeys }: BenchAccounts, url: string): Promise<void> {
  for (const apiKey of apiKeys) {
    const { status, text } = await exchange({
      port: service.port,
      agent: globalAgent,
      method: 'POST',
      path: '/v1/webhooks',
      headers: { 'x-authorization': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url, events: HEARD_STATUSES.map((status) => `message.${status}`) }),
      timeoutMs: ANSWER_TIMEOUT_MS,
    });
    if (status !== 201) throw new Error(`no webhook for an account: ${status} ${text}`);
  }
}

/** Closed load: without webhooks, and with them. */
async function measureTurns(bench: Bench, receiver: Receiver, without: SendLoad, heard: SendLoad): Promise<void> {
  const { outstanding } = bench.options;
  const title = `accepted to delivered, ${outstanding} at once, ${heard.title}`;
  const yardstick = `webhooks-off-${heard.id}`;
  const events: Measured[] = [];
  const off: Lane = {
    figure: { id: yardstick, title: `${title}, no webhooks`, unit: 'messages' },
    measure: async () => ({ window: (await feedStretch(bench, without, keepUnderWay(outstanding))).window }),
  };
  const on: Lane = {
    figure: { id: closedId(heard), title: `${title}, with webhooks`, unit: 'messages', yardstick, floor: FLOOR },
    measure: async () => {
      const stretch = await feedStretch(bench, heard, keepUnderWay(outstanding));
      events.push(await heardIn(bench, receiver, stretch));
      return { window: stretch.window };
    },
  };
  await bench.inTurns([off, on]);
  const about = { id: `webhooks-events-${heard.id}`, title: `events told meanwhile, ${heard.title}` };
  bench.add(figureOf({ ...about, unit: 'events', perSecondMin: EVENTS_PER_SECOND_MIN }, events));
}

/** Requests at half of the closed load's pace. */
async function measureOpen(bench: Bench, receiver: Receiver, load: SendLoad): Promise<void> {
  const closed = bench.figures.find(({ id }) => id === closedId(load))?.windows ?? [];
  const perSecond = Math.max(1, Math.round(OPEN_SHARE * median(closed.map((window) => window.perSecond))));
  const delivered: Measured[] = [];
  const events: Measured[] = [];
  for (let round = 0; round < bench.options.windows; round += 1) {
    const stretch = await openStretch(bench, load, perSecond);
    delivered.push({ window: stretch.window });
    events.push(await heardIn(bench, receiver, stretch));
  }
  const how = `${perSecond}/s, ${load.title}, with webhooks`;
  bench.add(figureOf({ id: 'webhooks-open', title: `accepted to delivered, ${how}`, unit: 'messages' }, delivered));
  const about = { id: 'webhooks-open-events', title: `events told after the change, ${how}` };
  bench.add(figureOf({ ...about, unit: 'events', p99MaxMs: OPEN_P99_MAX_MS }, events));
}

function closedId({ id }: SendLoad): string {
  return `webhooks-on-${id}`;
}

/** What the receiver got in that stretch, when the last event has arrived. */
async function heardIn(bench: Bench, receiver: Receiver, stretch: Stretch): Promise<Measured> {
  const { window, fromMs, toMs } = stretch;
  const expected = await bench.facts.changesTo(HEARD_STATUSES, bench.accounts.heard.ids);
  await bench.until('every event has arrived', LAST_EVENT_TIMEOUT_MS, async () => {
    return (await receiver.ask('changes', ANSWER_TIMEOUT_MS)) >= expected;
  });
  const { perSecond, lag } = await receiver.ask('between', ANSWER_TIMEOUT_MS, fromMs, toMs);
  return { window: { perSecond, ...lag, unexpected: {}, cores: window.cores } };
}
