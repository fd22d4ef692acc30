import { afterEach, expect, test } from '@jest/globals';
import { Heliograph, verifyWebhook, type WebhookEvent } from '#client';
import { addApiKey } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { eventually } from '../support/eventually.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { TestService } from '../support/service.js';
import { startTestWebhooks, TestReceiver } from '../support/webhooks.js';

let service: TestService | undefined;
let webhooks: RunningWebhooks | undefined;
let receiver: TestReceiver | undefined;
afterEach(async () => {
  await webhooks?.close();
  await service?.close();
  await receiver?.close();
});

test('a program that made a webhook and sends is told, by events that it verifies, what became of it', async () => {
  receiver = await TestReceiver.start();
  service = await TestService.start({
    backEnd: CHEAPEST_BACK_END,
    settings: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' },
  });
  webhooks = await startTestWebhooks(service.settings.DATABASE_URL ?? '');
  const { apiKey } = await addApiKey(service.database, service.accountId);
  const client = new Heliograph({ baseUrl: service.gatewayUrl, apiKey });
  const got = receiver.received;

  const { id, secret } = await client.webhooks.create({
    url: receiver.url,
    events: ['message.sent', 'message.delivered'],
  });
  await client.webhooks.test(id);
  const { messageId } = await client.messages.send({
    recipient: '+46700100200',
    message: 'Hi',
    reference: 'order-1',
  });
  await eventually(() => expect(got).toHaveLength(3));

  const events: WebhookEvent[] = [];
  for (const { body, headers } of got) events.push(await verifyWebhook(body, headers, ['whsec_b2xk', secret]));
  expect(events.find(({ type }) => type === 'webhook.test')?.data).toEqual({ webhookId: id, test: false });
  const delivered = events.find(({ type }) => type === 'message.delivered');
  expect(delivered).toEqual({
    type: 'message.delivered',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: {
      messageId,
      reference: 'order-1',
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
});
