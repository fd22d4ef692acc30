import { Type } from '@sinclair/typebox';
import { signIn } from '#persistence';
import { requireSecureConnection, setSessionCookie } from '../../session-cookie.js';
import { endpoint } from '../endpoint.js';
import { provenBy } from './proven-by.js';

export const startSession = endpoint({
  useCase: 'session.start',
  isOpen: true,
  method: 'POST',
  path: '/session',
  summary: 'Signs a person in',
  description:
    'The answer sets the cookie of the session. If the person has a second factor and `code` is missing, the answer is ' +
    '401 `code_required`: send the same once more, with the code.',
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100, examples: ['alice'] }),
    password: Type.String({ minLength: 1, maxLength: 1_000, examples: ['a password of my own'] }),
    code: Type.Optional(
      Type.String({ maxLength: 100, description: 'A one-time code or a recovery code.', examples: ['123456'] }),
    ),
  }),
  status: 204,
  refusals: ['sign_in_failed', 'code_required', 'https_required'],
  handle: async ({ body, service, request, reply }) => {
    requireSecureConnection(request);
    const token = await provenBy(request, service.logins, () =>
      signIn(
        service.database,
        {
          name: body.name.trim().toLowerCase(),
          password: body.password,
          code: body.code,
          address: request.ip,
          userAgent: request.headers['user-agent'] ?? '',
        },
        service.config.OPERATOR_PASSWORD,
      ),
    );
    setSessionCookie(reply, token);
  },
});
