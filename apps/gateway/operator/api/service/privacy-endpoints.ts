import { Type } from '@sinclair/typebox';
import {
  redactMessageOf,
  redactNumberOf,
  retentionSet,
  retentionSetAccount,
  retentionShow,
  retentionShowAccount,
} from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { Moment, Named, nullable, OfAccount, Word } from '../shapes.js';

const Days = Type.Integer({
  minimum: 1,
  description: 'After a message is final; null: kept for ever.',
  examples: [30],
});
const Retention = Named(
  'Retention',
  Type.Object({
    textDays: nullable(Days),
    numberDays: nullable(Days),
    rowDays: nullable(Days),
    droppedTexts: Type.Integer(),
    redactedNumbers: Type.Integer(),
    droppedMessages: Type.Integer(),
    lastDroppedAt: nullable(Moment('Null: nothing was dropped.')),
    waitingMessages: Type.Integer({ description: 'Messages that are redacted as soon as they are final.' }),
    openRequests: Type.Integer({ description: 'Requests to redact a number that are not done yet.' }),
  }),
);

const OfOne = Type.Integer({ minimum: 0, description: '0: kept for ever; null: not set.', examples: [30] });
const BothDays = Named('RetentionDays', Type.Object({ textDays: nullable(OfOne), numberDays: nullable(OfOne) }));
const AccountRetention = Named(
  'AccountRetention',
  Type.Object({
    textDays: nullable(Days),
    numberDays: nullable(Days),
    operators: BothDays,
    owners: BothDays,
    forAll: BothDays,
  }),
);

export const PRIVACY_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'retention.show',
    method: 'GET',
    path: '/retention',
    summary: 'How long texts, numbers and messages are kept, and what has been dropped',
    answer: Retention,
    run: retentionShow,
  }),
  endpoint({
    useCase: 'retention.set',
    method: 'PATCH',
    path: '/retention',
    summary: 'Sets how long texts, numbers and messages are kept; workers follow within a minute',
    body: Type.Object(
      {
        textDays: Type.Optional(nullable(Days)),
        numberDays: Type.Optional(nullable(Days)),
        rowDays: Type.Optional(nullable(Days)),
      },
      { minProperties: 1, examples: [{ textDays: 30, numberDays: 90, rowDays: null }] },
    ),
    answer: Retention,
    run: retentionSet,
  }),
  endpoint({
    useCase: 'retention.show-account',
    method: 'GET',
    path: '/accounts/:accountId/retention',
    summary: 'How long texts and numbers of an account are kept, and who has set it',
    params: OfAccount,
    answer: AccountRetention,
    run: retentionShowAccount,
  }),
  endpoint({
    useCase: 'retention.set-account',
    method: 'PATCH',
    path: '/accounts/:accountId/retention',
    summary: 'Sets how long texts and numbers of one account are kept, instead of what is set for all',
    description: 'Null: as for all accounts. 0: for ever. What the owner has set holds if it is fewer days.',
    params: OfAccount,
    body: Type.Object(
      { textDays: Type.Optional(nullable(OfOne)), numberDays: Type.Optional(nullable(OfOne)) },
      { minProperties: 1, examples: [{ textDays: 7, numberDays: null }] },
    ),
    answer: AccountRetention,
    run: retentionSetAccount,
  }),
  endpoint({
    useCase: 'redact.message',
    method: 'POST',
    path: '/messages/:id/redact',
    summary: 'Removes the text and the number of one message, sent or received',
    description: 'The audit log keeps who has asked for it, without the text and the number.',
    params: Type.Object({ id: Type.String({ format: 'uuid', examples: ['019a3f1e-5c1b-7c3e-9d55-0c8e6f1a2b3c'] }) }),
    answer: Type.Object({
      outcome: Word(['redacted', 'later'], '`later`: it is on its way, and is redacted as soon as it is final.'),
    }),
    run: redactMessageOf,
  }),
  endpoint({
    useCase: 'redact.number',
    method: 'POST',
    path: '/accounts/:accountId/redactions',
    summary: 'Removes a number and its texts from all messages that an account has sent and received until now',
    description: 'Balances, statements and the suppression list stay as they are.',
    params: OfAccount,
    body: Type.Object({ number: Type.String({ minLength: 1, maxLength: 64, examples: ['+447700900123'] }) }),
    answer: Type.Object({
      sent: Type.Integer({ description: 'Messages that were sent and are redacted now.' }),
      later: Type.Integer({ description: 'Messages on their way: each is redacted as soon as it is final.' }),
      received: Type.Integer({ description: 'Messages from the number.' }),
      isOver: Type.Boolean({ description: 'False: there are more, and workers go on.' }),
    }),
    run: redactNumberOf,
  }),
];
