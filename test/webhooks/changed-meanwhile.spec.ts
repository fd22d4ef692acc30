import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { changeEndpoint, enableEndpoint, findEndpoint, replayEvent, sendTestEvent } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { answer, TestLedger } from '../support/test-ledger.js';
import { managerOf, startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

let ledger: TestLedger;
let receiver: TestReceiver;
let webhooks: RunningWebhooks;
let accountId: string;
/** Milliseconds that the clock of the deliverer is ahead. */
let aheadMs = 0;
/** Requests that wait for their answer, by the id of their event. */
let waiting: string[] = [];
beforeEach(async () => {
  aheadMs = 0;
  waiting = [];
  ledger = await TestLedger.create();
  receiver = await TestReceiver.start();
  accountId = await ledger.account(10_000);
  webhooks = await startTestWebhooks(ledger.url, { now: () => Date.now() + aheadMs, timeoutMs: 10_000 });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await webhooks.close();
  await receiver.close();
  await ledger.close();
});

/** The receiver answers its next request with this, after the returned function was called. */
function holdsAnswer(status: number): () => void {
  let answers = () => {};
  const until = new Promise<void>((resolve) => {
    answers = resolve;
  });
  receiver.answer = ({ id }) => {
    waiting.push(id);
    receiver.answer = 200;
    return { status, until };
  };
  return () => answers();
}

async function sent(): Promise<void> {
  const { id } = await ledger.queued(accountId);
  await ledger.record([answer(await ledger.claimed(id), 1, 'accepted')]);
}

test('a 410 of the address that a webhook had before does not disable it at its new one', async () => {
  const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
  const answers = holdsAnswer(410);
  await sent();
  await eventually(() => expect(waiting).toHaveLength(1));
  const moved = await TestReceiver.start();
  const manager = await managerOf(ledger.database, accountId);
  await changeEndpoint(ledger.database, endpointId, { url: moved.url }, manager);
  answers();
  await sent();
  await eventually(() => expect(new Set([...moved.taken, ...receiver.taken]).size).toBe(2));
  await eventually(async () => expect((await findEndpoint(ledger.database, endpointId))?.failingSince).toBeUndefined());
  expect(await findEndpoint(ledger.database, endpointId)).toMatchObject({ disabledReason: undefined });
  // Until the deliverer has read the new address, the old one gets them.
  await eventually(async () => {
    await sent();
    expect(moved.taken.length).toBeGreaterThan(0);
  });
  await moved.close();
});

test.each([500, 200])(
  'a replay that is asked for during an attempt comes at once, although that got %d',
  async (got) => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
    receiver.answer = 500;
    await sent();
    const retries = () =>
      ledger.database.query<{ kind: string; attempts: number }>('select kind, attempts from webhook_retry');
    await eventually(async () => expect(await retries()).toEqual([{ kind: 'event', attempts: 1 }]));
    const answers = holdsAnswer(got);
    aheadMs += 7_000;
    await eventually(() => expect(waiting).toHaveLength(1));
    const [eventId = ''] = waiting;
    await replayEvent(ledger.database, endpointId, eventId, await managerOf(ledger.database, accountId));
    answers();
    await eventually(() => expect(receiver.received.map(({ status }) => status)).toEqual([500, got, 200]));
    await eventually(async () => expect(await retries()).toEqual([]));
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([eventId]));
  },
);

test('a replay that failed comes again as soon as its owner enables the webhook', async () => {
  const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
  await sent();
  await eventually(() => expect(receiver.taken).toHaveLength(1));
  const [eventId = ''] = receiver.taken;
  const manager = await managerOf(ledger.database, accountId);
  receiver.answer = 500;
  await replayEvent(ledger.database, endpointId, eventId, manager);
  const failed = (attempts: number) =>
    eventually(async () => {
      expect(await ledger.database.query('select attempts from webhook_retry')).toEqual([{ attempts }]);
    });
  await failed(1);
  aheadMs = 7_000;
  await failed(2);
  // The third attempt is minutes away.
  receiver.answer = 200;
  await enableEndpoint(ledger.database, endpointId, 'cursor', manager);
  await eventually(() => expect(receiver.taken).toEqual([eventId, eventId]));
});

test('what its owner asks for is sent at once, although the clock of the process is set an hour back', async () => {
  const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
  const realNow = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000);
  await sendTestEvent(ledger.database, endpointId, await managerOf(ledger.database, accountId));
  await eventually(() => expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test']));
});

test('a receiver that works again is found soon, although the clock was set back while it failed', async () => {
  const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
  aheadMs = 3_600_000;
  receiver.answer = 500;
  for (let message = 0; message < 25; message += 1) await sent();
  await eventually(async () => {
    const rows = await ledger.database.query(
      'select from webhook_progress where endpoint_id = $1 and failures between 20 and 24',
      [endpointId],
    );
    expect(rows).toHaveLength(1);
  });
  aheadMs = 0;
  receiver.answer = 200;
  await eventually(() => expect(receiver.taken).toHaveLength(25));
});
