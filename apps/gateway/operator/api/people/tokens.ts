import { Type } from '@sinclair/typebox';
import { tokenAdd, tokenList, tokenRevoke } from '#operations';
import { TOKEN_DAYS_MAX } from '#persistence';
import { Problem } from '../../../http/problem.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import { MOMENT, nullable, ROLE, Word } from '../shapes.js';

const TOKEN = Type.Object({
  tokenId: Type.String({ description: 'The 8 characters behind `hgo_`.', examples: ['3f9a1c0e'] }),
  name: Type.String({ description: 'For people: what uses it.', examples: ['deposits'] }),
  role: ROLE,
  status: Word(['active', 'expired', 'revoked'], 'Only an active token works.'),
  madeBy: Type.String({ examples: ['alice'] }),
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
  run: tokenList,
});

const addOneToken = endpoint({
  useCase: 'operator.token.add',
  method: 'POST',
  path: '/tokens',
  summary: 'Makes a token for a program',
  description: 'A token that is made with a token does not live longer than that one.',
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100, examples: ['deposits'] }),
    role: ROLE,
    expiresAt: Type.String({ format: 'date-time', description: `Within ${TOKEN_DAYS_MAX} days.` }),
  }),
  answer: Type.Composite([
    TOKEN,
    Type.Object({
      token: Type.String({
        description: 'For `Authorization: Bearer ...`. It is shown now and never again.',
        examples: ['hgo_3f9a1c0e_the-rest-of-the-token'],
      }),
    }),
  ]),
  status: 201,
  handle: ({ body, person: { token }, database }) => {
    if (token !== undefined && new Date(body.expiresAt) > token.expiresAt) {
      throw new Problem('not_possible', 'A token cannot make one that lives longer.');
    }
    return tokenAdd(database, body);
  },
});

const revokeOneToken = endpoint({
  useCase: 'operator.token.revoke',
  method: 'DELETE',
  path: '/tokens/:tokenId',
  summary: 'Ends a token for good',
  params: Type.Object({ tokenId: Type.String({ examples: ['3f9a1c0e'] }) }),
  answer: TOKEN,
  run: tokenRevoke,
});

export const TOKEN_ENDPOINTS: readonly Endpoint[] = [listAllTokens, addOneToken, revokeOneToken];
