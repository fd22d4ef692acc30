import { Type } from '@sinclair/typebox';
import { changePassword, endSessions, findOperator } from '#persistence';
import { ACCESS, useCasesOf } from '../access.js';
import { type Endpoint, endpoint, type Person } from '../endpoint.js';
import { listedSessions, SESSIONS } from '../people/listed-sessions.js';
import { MOMENT, nullable, ROLE, UUID } from '../shapes.js';
import { sessionOf } from './own-session.js';
import { provenBy } from './proven-by.js';

const showMe = endpoint({
  useCase: 'me.show',
  method: 'GET',
  path: '/me',
  summary: 'Who is signed in, and what this person may do',
  answer: Type.Object({
    name: Type.String({ description: 'As the audit log has it.', examples: ['alice'] }),
    role: ROLE,
    isToken: Type.Boolean({ description: 'It is a program with a token.' }),
    may: Type.Array(Type.String({ enum: Object.keys(ACCESS) }), {
      description: 'The use cases that the role allows to a person, or to a token. The console shows nothing else.',
    }),
    mustChangePassword: Type.Boolean({
      description:
        'Until the person has chosen a password, everything else is refused with `password_change_required`.',
    }),
    hasSecondFactor: Type.Boolean(),
    recoveryCodesLeft: Type.Integer(),
    session: nullable(
      Type.Object({
        sessionId: Type.String(),
        startedAt: MOMENT,
        idleEndsAt: Type.String({ format: 'date-time', description: 'When it ends unless the person does something.' }),
        expiresAt: Type.String({ format: 'date-time', description: 'When it ends in any case.' }),
        confirmedUntil: Type.String({
          format: 'date-time',
          description: 'Until then, money, roles and holds ask for nothing.',
        }),
      }),
    ),
  }),
  handle: async ({ person, database }) => {
    const { name, role, session } = person;
    const own = session && (await findOperator(database, name));
    return {
      name,
      role,
      isToken: session === undefined,
      may: useCasesOf(role, session === undefined),
      mustChangePassword: session?.mustChangePassword ?? false,
      hasSecondFactor: session?.hasSecondFactor ?? false,
      recoveryCodesLeft: own?.recoveryCodesLeft ?? 0,
      session: shownSession(person),
    };
  },
});

const changeMyPassword = endpoint({
  useCase: 'me.change-password',
  method: 'PUT',
  path: '/me/password',
  summary: 'Chooses another password; all other sessions of the person end',
  body: Type.Object({
    password: Type.String({ maxLength: 1_000, description: 'The one of now.', examples: ['the password of now'] }),
    newPassword: Type.String({ minLength: 12, maxLength: 256, examples: ['a password of my own'] }),
  }),
  status: 204,
  refusals: ['sign_in_failed'],
  handle: async ({ body, person, database, service, request }) =>
    provenBy(request, service.logins, () =>
      changePassword(database, sessionOf(person), body.password, body.newPassword),
    ),
});

const listMySessions = endpoint({
  useCase: 'me.sessions.list',
  method: 'GET',
  path: '/me/sessions',
  summary: 'Where the person is signed in',
  answer: SESSIONS,
  handle: ({ person, database }) => listedSessions(database, person.name, sessionOf(person).sessionId),
});

const endMySession = endpoint({
  useCase: 'me.sessions.end',
  method: 'DELETE',
  path: '/me/sessions/:sessionId',
  summary: 'Ends a session of the person; `others`: all but this one',
  params: Type.Object({ sessionId: Type.String({ pattern: `^(others|${UUID})$` }) }),
  answer: Type.Object({ ended: Type.Integer() }),
  handle: async ({ params, person, database }) => {
    const { name, sessionId } = sessionOf(person);
    const which = params.sessionId === 'others' ? { except: sessionId } : { only: params.sessionId };
    return { ended: await endSessions(database, name, which) };
  },
});

export const ME_ENDPOINTS: readonly Endpoint[] = [showMe, changeMyPassword, listMySessions, endMySession];

function shownSession({ session }: Person) {
  if (session === undefined) return null;
  const { sessionId, startedAt, idleEndsAt, expiresAt, confirmedUntil } = session;
  return { sessionId, startedAt, idleEndsAt, expiresAt, confirmedUntil };
}
