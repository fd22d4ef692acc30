import { Type } from '@sinclair/typebox';
import { webhookAttempts, webhookDisable, webhookEnable, webhookList, webhookReplay, webhookShow } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { AccountId, AccountName, Moment, Named, nullable, PAGING, PageOf, Word } from '../shapes.js';

const EndpointId = Type.String({ pattern: '^we_[0-9a-z]{1,40}$', examples: ['we_0f3k9x2m4q7t1b8z'] });
const OfWebhook = Type.Object({ endpointId: EndpointId });
const FIELDS = {
  endpointId: EndpointId,
  accountId: AccountId,
  accountName: AccountName,
  test: Type.Boolean({ description: 'It belongs to the test keys of its account.' }),
  url: Type.String({ examples: ['https://acme.example/hook'] }),
  events: Type.Array(Type.String(), { examples: [['message.delivered']] }),
  description: Type.String(),
  createdAt: Moment('When it was made.'),
  disabledAt: nullable(Moment('Null: it is enabled.')),
  disabledReason: nullable(Word(['client', 'operator', 'gone', 'failing'], 'Who or what disabled it.')),
  failingSince: nullable(Moment('The first failure since the last success.')),
  lastSuccessAt: nullable(Moment('Null: never.')),
  lastError: nullable(Type.String({ description: 'Of the last failure.' })),
  overlapUntil: nullable(Moment('Until when the old secret signs as well.')),
};
const Webhook = Named('Webhook', Type.Object(FIELDS));
const Attempt = Named(
  'WebhookAttempt',
  Type.Object({
    attemptId: Type.Integer(),
    at: Moment('When it was sent.'),
    eventId: Type.String({ examples: ['evt_1_0'] }),
    type: Type.String({ examples: ['message.delivered'] }),
    kind: Word(['event', 'test', 'replay'], 'Why it was sent.'),
    attempt: Type.Integer({ description: 'From 1.' }),
    outcome: Word(['delivered', 'failed', 'given_up'], 'What became of it.'),
    httpStatus: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String()),
    durationMs: Type.Integer(),
    nextAttemptAt: Type.Optional(Moment('When it is tried again.')),
  }),
);

export const WEBHOOK_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'webhook.list',
    method: 'GET',
    path: '/webhooks',
    summary: 'Lists the webhooks of clients, of one account or of all',
    query: Type.Object({ accountId: Type.Optional(AccountId) }),
    answer: Type.Array(Webhook),
    run: webhookList,
  }),
  endpoint({
    useCase: 'webhook.show',
    method: 'GET',
    path: '/webhooks/:endpointId',
    summary: 'A webhook and its last attempts: failures, successes after them, tests, and events replayed by id',
    params: OfWebhook,
    answer: Type.Object({ ...FIELDS, attempts: Type.Array(Attempt) }),
    run: webhookShow,
  }),
  endpoint({
    useCase: 'webhook.attempts',
    method: 'GET',
    path: '/webhooks/:endpointId/attempts',
    summary: 'Attempts of 30 days, newest first: failures, successes after them, tests, and events replayed by id',
    params: OfWebhook,
    query: Type.Object(PAGING),
    answer: PageOf(Attempt),
    run: webhookAttempts,
  }),
  endpoint({
    useCase: 'webhook.disable',
    method: 'POST',
    path: '/webhooks/:endpointId/disable',
    summary: 'Sends nothing more to a webhook; its events are kept for 14 days',
    params: OfWebhook,
    answer: Webhook,
    run: webhookDisable,
  }),
  endpoint({
    useCase: 'webhook.enable',
    method: 'POST',
    path: '/webhooks/:endpointId/enable',
    summary: 'Sends to a webhook again',
    params: OfWebhook,
    body: Type.Object({
      resume: Type.Optional(
        Word(['cursor', 'now'], '`cursor`: with all that it has missed; `now`: with what happens from now on.'),
      ),
    }),
    answer: Webhook,
    run: webhookEnable,
  }),
  endpoint({
    useCase: 'webhook.replay',
    method: 'POST',
    path: '/webhooks/:endpointId/replay',
    summary: 'Sends one event again, or all of a time, beside the new ones',
    params: OfWebhook,
    body: Type.Object(
      {
        eventId: Type.Optional(Type.String({ maxLength: 40, examples: ['evt_1_0'] })),
        from: Type.Optional(Moment('With `until`: all events of this time, instead of `eventId`.')),
        until: Type.Optional(Moment('Before it.')),
      },
      { examples: [{ eventId: 'evt_1_0' }] },
    ),
    answer: Webhook,
    status: 202,
    run: webhookReplay,
  }),
];
