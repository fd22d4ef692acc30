import { Type } from '@sinclair/typebox';
import { retentionSet, retentionShow, secretsRotate, secretsShow } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { Moment, Named, nullable } from '../shapes.js';

const Days = Type.Integer({
  minimum: 1,
  description: 'After a message is final; null: kept for ever.',
  examples: [30],
});
const Retention = Named(
  'Retention',
  Type.Object({
    textDays: nullable(Days),
    rowDays: nullable(Days),
    droppedTexts: Type.Integer(),
    droppedMessages: Type.Integer(),
    lastDroppedAt: nullable(Moment('Null: nothing was dropped.')),
  }),
);
const Names = Type.Array(Type.String(), { description: 'Of carriers.', examples: [['acme']] });
const KeyId = Type.String({ description: 'Of a key for secrets, not the key itself.' });

export const SETTINGS_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'retention.show',
    method: 'GET',
    path: '/retention',
    summary: 'How long texts and messages are kept, and what has been dropped',
    answer: Retention,
    run: retentionShow,
  }),
  endpoint({
    useCase: 'retention.set',
    method: 'PATCH',
    path: '/retention',
    summary: 'Sets how long texts and messages are kept; workers follow within a minute',
    body: Type.Object(
      { textDays: Type.Optional(nullable(Days)), rowDays: Type.Optional(nullable(Days)) },
      { minProperties: 1, examples: [{ textDays: 30, rowDays: null }] },
    ),
    answer: Retention,
    run: retentionSet,
  }),
  endpoint({
    useCase: 'secrets.status',
    method: 'GET',
    path: '/secrets',
    summary: 'Which keys this gateway has, and which the stored secrets need',
    answer: Type.Object({
      keyIds: Type.Array(KeyId, { description: 'The one that encrypts first.' }),
      stored: Type.Array(Type.Object({ keyId: nullable(KeyId), carriers: Names })),
      unreadable: Type.Array(Type.Object({ carrier: Type.String(), reason: Type.String() })),
    }),
    run: secretsShow,
  }),
  endpoint({
    useCase: 'secrets.rotate',
    method: 'POST',
    path: '/secrets/rotate',
    summary: 'Encrypts all secrets with the current key',
    body: Type.Object({
      force: Type.Optional(Type.Boolean({ description: 'Although running processes lack that key.' })),
    }),
    answer: Type.Object({ keyId: KeyId, encrypted: Names, reencrypted: Names, unchanged: Names }),
    run: secretsRotate,
  }),
];
