import { Type } from '@sinclair/typebox';
import { confirmSession, endSessions, provePassword, proveSecondFactor } from '#persistence';
import { Problem } from '../../../http/problem.js';
import { clearSessionCookie } from '../../session-cookie.js';
import { type Endpoint, endpoint } from '../endpoint.js';
import { sessionOf } from './own-session.js';
import { provenBy } from './proven-by.js';

const endSession = endpoint({
  useCase: 'session.end',
  method: 'DELETE',
  path: '/session',
  summary: 'Signs the person out',
  status: 204,
  handle: async ({ person, database, reply }) => {
    const { name, sessionId } = sessionOf(person);
    await endSessions(database, name, { only: sessionId });
    clearSessionCookie(reply);
  },
});

const confirm = endpoint({
  useCase: 'session.confirm',
  method: 'POST',
  path: '/session/confirm',
  summary: 'Gives the second factor once more',
  description:
    'What moves money, changes roles or decides about a hold is refused with 403 `confirmation_required` if the person ' +
    'gave the second factor longer than five minutes ago. A person without a second factor gives the password.',
  body: Type.Object({
    code: Type.Optional(
      Type.String({ maxLength: 100, description: 'A one-time code or a recovery code.', examples: ['123456'] }),
    ),
    password: Type.Optional(Type.String({ maxLength: 1_000, description: 'Of a person without a second factor.' })),
  }),
  refusals: ['sign_in_failed'],
  answer: Type.Object({ confirmedUntil: Type.String({ format: 'date-time' }) }),
  handle: async ({ body: { code, password }, person, service, request }) => {
    const { name, sessionId, hasSecondFactor } = sessionOf(person);
    const given = hasSecondFactor ? code : password;
    if (given === undefined) {
      throw new Problem('invalid_request', `${hasSecondFactor ? 'code' : 'password'} is required.`);
    }
    const prove = hasSecondFactor ? proveSecondFactor : provePassword;
    await provenBy<unknown>(request, service.logins, () => prove(service.database, name, given));
    return { confirmedUntil: await confirmSession(service.database, sessionId) };
  },
});

export const SESSION_ENDPOINTS: readonly Endpoint[] = [endSession, confirm];
