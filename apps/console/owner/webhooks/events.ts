import type { CreateWebhookRequest } from '#client';

/** Of what a webhook can be told. */
export const EVENTS: CreateWebhookRequest['events'] = [
  'message.sent',
  'message.delivered',
  'message.undelivered',
  'message.failed',
  'message.unknown',
  'message.canceled',
  'message.received',
  'batch.completed',
  'balance.low',
];
