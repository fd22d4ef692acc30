import { Type } from '@sinclair/typebox';
import { keyCreate, keyList, keyRevoke, keyRotate } from '#operations';
import { KEY_NAME_LENGTH_MAX, KEY_NETWORKS_MAX, KEY_SCOPES } from '#persistence';
import { type Endpoint, endpoint } from '../endpoint.js';
import { AccountId, Moment, Named, nullable, OfAccount, Word } from '../shapes.js';

const OVERLAP_SECONDS_MAX = 7 * 24 * 3_600;

const Scopes = Type.Array(Word(KEY_SCOPES, 'What it may do.'), { examples: [['send', 'read']] });
const Networks = Type.Array(Type.String({ maxLength: 50 }), {
  maxItems: KEY_NETWORKS_MAX,
  description: 'Addresses and networks that it may be used from; empty: all.',
  examples: [['192.0.2.0/24']],
});
const Name = Type.String({ maxLength: KEY_NAME_LENGTH_MAX, description: 'What uses the key.', examples: ['shop'] });
const FIELDS = {
  keyId: Type.String({ examples: ['3f9a1c0e'] }),
  accountId: AccountId,
  test: Type.Boolean({ description: 'Its messages reach nobody.' }),
  name: Name,
  scopes: Scopes,
  networks: Networks,
  status: Word(['active', 'expired', 'revoked'], 'Only an active key works.'),
  createdAt: Moment('When it was made.'),
  expiresAt: nullable(Moment('Null: never.')),
  lastUsedAt: nullable(Moment('Null: never.')),
  revokedAt: nullable(Moment('Null: it is not revoked.')),
};
const Key = Named('Key', Type.Object(FIELDS));
const ApiKey = Type.String({ description: 'Shown only now.', examples: ['hg_3f9a1c0e_the-rest-of-the-key'] });
const OfKey = Type.Object({ keyId: Type.String({ pattern: '^[0-9a-zA-Z]{1,20}$', examples: ['3f9a1c0e'] }) });

export const KEY_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    useCase: 'key.list',
    method: 'GET',
    path: '/accounts/:accountId/keys',
    summary: 'Lists the keys of an account, with what they may do and when they were used last',
    params: OfAccount,
    answer: Type.Array(Key),
    run: keyList,
  }),
  endpoint({
    useCase: 'key.create',
    method: 'POST',
    path: '/accounts/:accountId/keys',
    summary: 'Makes one more API key for an account',
    params: OfAccount,
    body: Type.Object({
      name: Type.Optional(Name),
      scopes: Type.Optional(Scopes),
      networks: Type.Optional(Networks),
      expiresAt: Type.Optional(Moment('Left out: never.')),
      test: Type.Optional(Type.Boolean({ description: 'A test key: its messages never go to a carrier.' })),
    }),
    answer: Type.Object({ ...FIELDS, apiKey: ApiKey }),
    status: 201,
    run: keyCreate,
  }),
  endpoint({
    useCase: 'key.rotate',
    method: 'POST',
    path: '/keys/:keyId/rotate',
    summary: 'Makes a key like another one, which goes on working for a while',
    params: OfKey,
    body: Type.Object({
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: OVERLAP_SECONDS_MAX,
          default: 86_400,
          examples: [86_400],
          description: 'How long the old key still works.',
        }),
      ),
      expiresAt: Type.Optional(nullable(Moment('Null: never; left out: as the old key.'))),
    }),
    answer: Type.Object({ ...FIELDS, apiKey: ApiKey, replacedKey: Key }),
    status: 201,
    run: keyRotate,
  }),
  endpoint({
    useCase: 'key.revoke',
    method: 'POST',
    path: '/keys/:keyId/revoke',
    summary: 'Ends a key for good; doing it twice is no error',
    params: OfKey,
    answer: Key,
    run: keyRevoke,
  }),
];
