import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { storeInbound } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { inboundDelivery } from '../support/inbound.js';
import { answer, TestLedger } from '../support/test-ledger.js';
import { startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

let ledger: TestLedger;
let receiver: TestReceiver;
let webhooks: RunningWebhooks;
beforeAll(async () => {
  ledger = await TestLedger.create();
  receiver = await TestReceiver.start();
  webhooks = await startTestWebhooks(ledger.url, { timeoutMs: 1_000 });
});
afterAll(async () => {
  await webhooks.close();
  await receiver.close();
  await ledger.close();
});

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
