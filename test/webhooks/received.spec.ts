import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { enableEndpoint, type Queryable, storeInbound } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { inboundDelivery } from '../support/inbound.js';
import { answer, TestLedger } from '../support/test-ledger.js';
import { managerOf, startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

let ledger: TestLedger;
let receiver: TestReceiver;
let webhooks: RunningWebhooks;
beforeAll(async () => {
  ledger = await TestLedger.create();
  webhooks = await startTestWebhooks(ledger.url, { timeoutMs: 1_000 });
});
afterAll(async () => {
  await webhooks.close();
  await ledger.close();
});
beforeEach(async () => {
  receiver = await TestReceiver.start();
});
afterEach(() => receiver.close());

test('a webhook is told what a handset wrote, and which message it answers', async () => {
  const accountId = await ledger.account(1);
  await webhookTo(ledger.database, accountId, receiver.url, ['message.received']);
  const { destination } = ledger.message();
  const { id } = await ledger.queued(accountId, 1, {
    destination,
    recipient: `+${destination}`,
    sender: '46768000222',
  });
  const order = await ledger.claimed(id);
  await ledger.record([answer(order, 1, 'accepted')]);
  await ledger.database.query('insert into number_assignment (number, account_id) values ($1, $2)', [
    '46768000222',
    accountId,
  ]);
  const carrier = { carrierId: ledger.carrierId, sender: 'Heliograph', isSenderFixed: false };
  const text = 'Tack – 谢谢 😀';
  await storeInbound(ledger.database, carrier, [
    inboundDelivery({ source: destination, destination: '46768000222', text }),
  ]);
  await eventually(() => expect(receiver.taken).toHaveLength(1));
  expect(receiver.received[0]?.event).toMatchObject({
    type: 'message.received',
    data: {
      inboundId: expect.any(String),
      sender: destination,
      recipient: '46768000222',
      message: text,
      keyword: null,
      inReplyTo: id,
      missingParts: 0,
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      test: false,
    },
  });
  const long = `${'x'.repeat(2_999)}😀`;
  await storeInbound(ledger.database, carrier, [
    inboundDelivery({ source: destination, destination: '46768000222', text: long }),
  ]);
  await eventually(() => expect(receiver.taken).toHaveLength(2));
  // Cut between characters: databases refuse JSON with half of a surrogate pair.
  expect(receiver.received[1]?.event).toMatchObject({ data: { message: 'x'.repeat(2_999) } });
});

/** A message was received, as `enter_inboxes` tells it; returns its id. */
async function received(queryable: Queryable, accountId: string, id: string = randomUUID()): Promise<string> {
  await queryable.query(
    `insert into event_batch (slot, batch_id, account_id, type, message_ids)
     select event_slot(n.id), n.id, $1, 'message.received', array[$2::uuid]
       from (select next_event_batch_id() as id offset 0) n`,
    [accountId, id],
  );
  return id;
}

/** The ids of what the receiver was told of. */
const told = () => receiver.received.map(({ event }) => event.data.inboundId);

test.each(['added', 'enabled for what comes now'])(
  'a webhook that is %s while a message is being stored is told of it, and not of those before',
  async (how) => {
    const { database } = ledger;
    const accountId = await ledger.account(1);
    const manager = await managerOf(database, accountId);
    const add = () => webhookTo(database, accountId, receiver.url, ['message.received']);
    const before = how === 'added' ? undefined : await add();
    const id = await database.transaction(async (storing) => {
      await storing.query('select pg_current_xact_id()');
      await received(database, accountId);
      await (before === undefined ? add() : enableEndpoint(database, before.endpointId, 'now', manager));
      return received(storing, accountId);
    });
    const next = await received(database, accountId);
    await eventually(() => expect(told().toSorted()).toEqual([id, next].toSorted()));
  },
);

test('a text that cannot be read keeps no other event waiting, and is told of when it can be read', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(1);
  await webhookTo(database, accountId, receiver.url, ['message.received', 'message.sent']);
  const id = randomUUID();
  const lostKey = `\u000120260101abcd:${'A'.repeat(60)}`;
  await database.transaction(async (storing) => {
    await storing.query(
      `insert into inbound_message (inbound_id, account_id, number, carrier_id, source, destination, message, parts)
       values ($1, $2, 1, $3, '46700100200', '46768000333', $4, 1)`,
      [id, accountId, ledger.carrierId, lostKey],
    );
    await received(storing, accountId, id);
  });
  const sent = await ledger.queued(accountId);
  await ledger.record([answer(await ledger.claimed(sent.id), 1, 'accepted')]);
  await eventually(() => expect(receiver.received.map(({ event }) => event.data.messageId)).toEqual([sent.id]));
  await database.query("update inbound_message set message = 'Yes' where inbound_id = $1", [id]);
  await database.query('update webhook_retry set due_at = now()');
  await eventually(() => expect(receiver.received[1]?.event.data).toMatchObject({ inboundId: id, message: 'Yes' }));
});
