import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { v7 as uuidV7 } from 'uuid';
import {
  completeBatches,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listAttempts,
  replayEvent,
  replayRange,
  rotateEndpointSecret,
  sendTestEvent,
} from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';
import { managerOf, startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

const ALL = ['message.sent', 'message.delivered', 'message.undelivered', 'message.failed'] as const;

let ledger: TestLedger;
let receiver: TestReceiver;
let webhooks: RunningWebhooks;
let accountId: string;
/** Milliseconds that the clock of the deliverer is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());
beforeEach(async () => {
  aheadMs = 0;
  receiver = await TestReceiver.start();
  accountId = await ledger.account(1_000);
  webhooks = await startTestWebhooks(ledger.url, { now: () => Date.now() + aheadMs });
});
afterEach(async () => {
  await webhooks.close();
  await receiver.close();
  await ledger.database.query('delete from webhook_endpoint');
});

/** Messages that the carrier took, and delivered. */
async function deliver(count: number, owner = accountId): Promise<string[]> {
  const messages = Array.from({ length: count }, () => ledger.message());
  await ledger.accept(owner, messages);
  const claimed = await ledger.claim(messages.map(({ id }) => id));
  await ledger.record(claimed.map((order) => answer(order, 1, 'accepted')));
  await ledger.settle(messages.map((message) => receiptFor(message, 1, 'delivered')));
  return messages.map(({ id }) => id);
}

const arrived = (count: number) => eventually(() => expect(receiver.taken).toHaveLength(count));
/** Waits until no process has it any more. */
async function disabled(endpointId: string): Promise<void> {
  await disableEndpoint(ledger.database, endpointId, await managerOf(ledger.database, accountId));
  await eventually(async () => {
    const [row] = await ledger.database.query('select owner from webhook_progress where endpoint_id = $1', [
      endpointId,
    ]);
    expect(row).toEqual({ owner: null });
  });
}
const standing = (endpointId: string) => findEndpoint(ledger.database, endpointId);

describe('an event', () => {
  test('arrives signed, so that the library of Standard Webhooks verifies it, and tells what happened', async () => {
    const { secret } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    const [id] = await deliver(1);
    await arrived(1);
    const [got] = receiver.received;
    const verified = new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
    expect(verified).toEqual({
      type: 'message.delivered',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        messageId: id,
        reference: null,
        tag: null,
        status: 'delivered',
        reason: null,
        carrierCode: null,
        sequence: 4,
        segments: 1,
        amount: 0.01,
        currency: 'EUR',
        test: false,
      },
    });
    expect(() => new Webhook('whsec_AAAA').verify(got?.body ?? '', got?.headers as Record<string, string>)).toThrow();
  });

  test('is signed with the old and the new secret while one replaces the other', async () => {
    const { endpointId, secret } = await webhookTo(ledger.database, accountId, receiver.url, ALL);
    const manager = await managerOf(ledger.database, accountId);
    const rotated = await rotateEndpointSecret(ledger.database, endpointId, 60, manager);
    await eventually(async () => {
      await deliver(1);
      const got = receiver.received.at(-1);
      for (const one of [secret, rotated.secret]) {
        new Webhook(one).verify(got?.body ?? '', got?.headers as Record<string, string>);
      }
    });
  });

  test('goes to each webhook that asks for its type, once', async () => {
    const other = await TestReceiver.start();
    await webhookTo(ledger.database, accountId, receiver.url, ALL);
    await webhookTo(ledger.database, accountId, other.url, ['message.delivered']);
    await deliver(150);
    await arrived(300);
    await eventually(() => expect(other.taken).toHaveLength(150));
    expect(new Set(receiver.taken).size).toBe(300);
    expect(new Set(other.received.map(({ event }) => event.type))).toEqual(new Set(['message.delivered']));
    await other.close();
  });

  test('that fails comes again at its time, with its id and its body', async () => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    receiver.answer = 500;
    await deliver(1);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await eventually(async () => {
      expect(await listAttempts(ledger.database, endpointId, 10)).toMatchObject([
        { attempt: 1, outcome: 'failed', httpStatus: 500, kind: 'event' },
      ]);
    });
    receiver.answer = 200;
    aheadMs += 7_000;
    await arrived(1);
    expect(receiver.received[1]).toMatchObject({ id: receiver.received[0]?.id, body: receiver.received[0]?.body });
    await eventually(async () => {
      expect((await standing(endpointId))?.failingSince).toBeUndefined();
      expect(await listAttempts(ledger.database, endpointId, 1)).toMatchObject([{ attempt: 2, outcome: 'delivered' }]);
    });
  });

  test('of a whole batch arrives once, signed, after its last message has ended', async () => {
    const { secret } = await webhookTo(ledger.database, accountId, receiver.url, ['batch.completed']);
    const messages = [ledger.message(), ledger.message()];
    const batchId = uuidV7();
    await ledger.accept(accountId, [{ ...batchOf(messages), batchId }]);
    const claimed = await ledger.claim(messages.map(({ id }) => id));
    await ledger.record(claimed.map((order) => answer(order, 1, 'accepted')));
    await ledger.settle(messages.map((message) => receiptFor(message, 1, 'delivered')));
    await completeBatches(ledger.database);
    await arrived(1);
    const [got] = receiver.received;
    expect(new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>)).toEqual({
      type: 'batch.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        batchId,
        messages: 2,
        byStatus: { delivered: 2, undelivered: 0, failed: 0, unknown: 0, canceled: 0 },
        amount: 0.02,
        currency: 'EUR',
        test: false,
      },
    });
  });

  test('is not sent to where a redirect leads', async () => {
    const other = await TestReceiver.start();
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    receiver.answer = { status: 307, headers: { location: other.url } };
    await deliver(1);
    await eventually(async () => {
      expect((await standing(endpointId))?.lastError).toBe('the receiver answered 307');
    });
    expect(other.received).toEqual([]);
    await other.close();
  });
});

describe('a receiver', () => {
  test('that is down for an hour gets every event after it, each once', async () => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ALL);
    receiver.answer = 503;
    await deliver(200);
    await eventually(async () => expect((await standing(endpointId))?.failingSince).toBeDefined());
    for (let minutes = 0; minutes < 60; minutes += 12) {
      aheadMs += 720_000;
      const before = receiver.received.length;
      await deliver(5);
      await eventually(() => expect(receiver.received.length).toBeGreaterThan(before));
    }
    expect(receiver.received.length).toBeLessThan(200);
    receiver.answer = 200;
    aheadMs += 720_000;
    await arrived(450);
    expect(new Set(receiver.taken).size).toBe(450);
    await eventually(async () => {
      const rows = await ledger.database.query('select from webhook_retry where endpoint_id = $1', [endpointId]);
      expect(rows).toHaveLength(0);
    });
  });

  test('that never answers delays no other one', async () => {
    const silent = await TestReceiver.start();
    silent.answer = { status: 200, until: new Promise(() => {}) };
    const other = await ledger.account(1_000);
    await webhookTo(ledger.database, other, silent.url, ['message.sent']);
    await webhookTo(ledger.database, accountId, receiver.url, ['message.sent']);
    await deliver(200, other);
    await deliver(200);
    await arrived(200);
    expect(silent.received).toEqual([]);
    await silent.close();
  });

  test('that answers 410 gets nothing more, and its owner sees why', async () => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    receiver.answer = 410;
    await deliver(1);
    await eventually(async () => {
      expect(await standing(endpointId)).toMatchObject({ disabledReason: 'gone' });
    });
    receiver.answer = 200;
    await enableEndpoint(ledger.database, endpointId, 'cursor', await managerOf(ledger.database, accountId));
    await arrived(1);
  });

  test('to which nothing succeeds for 5 days is disabled; enabled again, it gets what it has missed', async () => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    receiver.answer = 500;
    await deliver(30);
    await eventually(async () => expect((await standing(endpointId))?.failingSince).toBeDefined());
    aheadMs += 5.1 * 86_400_000;
    await eventually(async () => {
      expect(await standing(endpointId)).toMatchObject({ disabledReason: 'failing' });
    });
    receiver.answer = 200;
    aheadMs = 0;
    await enableEndpoint(ledger.database, endpointId, 'cursor', await managerOf(ledger.database, accountId));
    await arrived(30);
    expect(new Set(receiver.taken).size).toBe(30);
  });
});

describe('what its owner asks for', () => {
  test('a test event arrives, and stands among the deliveries', async () => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.failed']);
    const eventId = await sendTestEvent(ledger.database, endpointId, await managerOf(ledger.database, accountId));
    await arrived(1);
    expect(receiver.received[0]).toMatchObject({ id: eventId, event: { type: 'webhook.test' } });
    await eventually(async () => {
      expect(await listAttempts(ledger.database, endpointId, 10)).toMatchObject([
        { eventId, kind: 'test', outcome: 'delivered', attempt: 1 },
      ]);
    });
  });

  test('one event, or those of a time, come again with the same ids', async () => {
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    const from = new Date(Date.now() - 1_000);
    await deliver(100);
    await arrived(100);
    const manager = await managerOf(ledger.database, accountId);
    const [first = ''] = receiver.taken;
    await replayEvent(ledger.database, endpointId, first, manager);
    await arrived(101);
    expect(receiver.taken.at(-1)).toBe(first);
    await replayRange(ledger.database, endpointId, { from, until: new Date('2999-12-31T00:00:00Z') }, manager);
    await arrived(201);
    expect(new Set(receiver.taken).size).toBe(100);
    await eventually(async () => {
      const rows = await ledger.database.query('select from webhook_replay where endpoint_id = $1', [endpointId]);
      expect(rows).toHaveLength(0);
    });
  });

  test('a disabled webhook gets what it has missed, or only what comes now', async () => {
    const manager = await managerOf(ledger.database, accountId);
    const { endpointId } = await webhookTo(ledger.database, accountId, receiver.url, ['message.delivered']);
    await disabled(endpointId);
    await deliver(2);
    await enableEndpoint(ledger.database, endpointId, 'cursor', manager);
    await arrived(2);
    await disabled(endpointId);
    const end = new AbortController();
    const older = ledger.database.transaction(async (transaction) => {
      await transaction.query('select pg_current_xact_id()');
      await once(end.signal, 'abort');
    });
    await deliver(3);
    await enableEndpoint(ledger.database, endpointId, 'now', manager);
    end.abort();
    await older;
    const [last] = await deliver(1);
    await arrived(3);
    expect(receiver.received.at(-1)?.event.data.messageId).toBe(last);
  });
});
