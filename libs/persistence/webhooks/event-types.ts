/** What clients can be told of, in the order of the documentation. */
export const EVENT_TYPES = [
  'message.sent',
  'message.delivered',
  'message.undelivered',
  'message.failed',
  'message.unknown',
  'message.canceled',
  'message.received',
  'batch.completed',
  'balance.low',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Asked for by the client, to try an endpoint. */
export const TEST_EVENT = 'webhook.test';

/** How long events are kept, for disabled endpoints and for replays. */
export const EVENT_DAYS = 14;
