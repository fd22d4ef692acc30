import { Type } from '@sinclair/typebox';
import { secretsRotate, secretsShow } from '#operations';
import { type Endpoint, endpoint } from '../endpoint.js';
import { nullable } from '../shapes.js';

const Names = Type.Array(Type.String(), {
  description:
    'Whose secrets: carriers, by name, and `operators`, `suppression lists`, `texts` and `webhooks` for all of theirs.',
  examples: [['acme', 'webhooks']],
});
const KeyId = Type.String({ description: 'Of a secrets key, not the key itself.' });

export const SETTINGS_ENDPOINTS: readonly Endpoint[] = [
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
