import { Type } from '@sinclair/typebox';
import { addToken, listTokens, type OperatorToken, revokeToken, TOKEN_DAYS_MAX } from '#persistence';
import { Problem } from '../../../http/problem.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import { MOMENT, nullable, ROLE, Word } from '../shapes.js';

const TOKEN = Type.Object({
  tokenId: Type.String({ description: 'The 8 characters behind `hgo_`.' }),
  name: Type.String({ description: 'For people: what uses it.' }),
  role: ROLE,
  status: Word(['active', 'expired', 'revoked'], 'Only an active token works.'),
  madeBy: Type.String(),
  createdAt: MOMENT,
  expiresAt: MOMENT,
  lastUsedAt: nullable(Type.String({ format: 'date-time', description: 'Up to a minute late.' })),
  revokedAt: nullable(MOMENT),
});

const listAllTokens = endpoint({
  useCase: 'operator.token.list',
  method: 'GET',
  path: '/tokens',
  summary: 'The tokens of programs, the newest first',
  answer: Type.Object({ data: Type.Array(TOKEN) }),
  handle: async ({ database }) => ({ data: (await listTokens(database)).map(shown) }),
});

const addOneToken = endpoint({
  useCase: 'operator.token.add',
  method: 'POST',
  path: '/tokens',
  summary: 'Makes a token for a program',
  description: 'A token that is made with a token does not live longer than that one.',
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    role: ROLE,
    expiresAt: Type.String({ format: 'date-time', description: `Within ${TOKEN_DAYS_MAX} days.` }),
  }),
  answer: Type.Composite([
    TOKEN,
    Type.Object({
      token: Type.String({ description: 'For `Authorization: Bearer ...`. It is shown now and never again.' }),
    }),
  ]),
  status: 201,
  handle: async ({ body: { name, role, expiresAt }, person, database }) => {
    const at = new Date(expiresAt);
    if (person.token !== undefined && at > person.token.expiresAt) {
      throw new Problem('not_possible', 'A token cannot make one that lives longer.');
    }
    const { token, ...made } = await addToken(database, { name, role, expiresAt: at }, person.name);
    return { ...shown(made), token };
  },
});

const revokeOneToken = endpoint({
  useCase: 'operator.token.revoke',
  method: 'DELETE',
  path: '/tokens/:tokenId',
  summary: 'Ends a token for good',
  params: Type.Object({ tokenId: Type.String() }),
  answer: TOKEN,
  handle: async ({ params: { tokenId }, database }) => shown(await revokeToken(database, tokenId)),
});

export const TOKEN_ENDPOINTS: readonly Endpoint[] = [listAllTokens, addOneToken, revokeOneToken];

function shown(token: OperatorToken) {
  return { ...token, lastUsedAt: token.lastUsedAt ?? null, revokedAt: token.revokedAt ?? null };
}
