import { Type } from '@sinclair/typebox';
import {
  operatorAdd,
  operatorDisable,
  operatorEnable,
  operatorList,
  operatorRemove,
  operatorReset,
  operatorRole,
} from '#operations';
import { endSessions, findOperator } from '#persistence';
import { type Endpoint, endpoint } from '../endpoint.js';
import { MOMENT, nullable, ROLE, Word } from '../shapes.js';
import { listedSessions, SESSIONS } from './listed-sessions.js';

const NAME = Type.Object({ name: Type.String({ description: 'Of the operator.', examples: ['alice'] }) });

const OPERATOR = Type.Object({
  name: Type.String({ description: 'As the audit log has it.', examples: ['alice'] }),
  role: ROLE,
  status: Word(['active', 'disabled'], 'Disabled: cannot sign in.'),
  mustChangePassword: Type.Boolean({ description: 'The person has not chosen a password yet.' }),
  hasSecondFactor: Type.Boolean(),
  recoveryCodesLeft: Type.Integer(),
  sessions: Type.Integer({ description: 'That have not ended.' }),
  createdAt: MOMENT,
  lastSignInAt: nullable(MOMENT),
  lockedUntil: nullable(
    Type.String({
      format: 'date-time',
      description: 'Too many passwords or codes were wrong: none is checked before.',
    }),
  ),
});

const NEW_PASSWORD = Type.Composite([
  OPERATOR,
  Type.Object({
    password: Type.String({
      description: 'For the first sign-in, at which the person chooses another one. It is shown now and never again.',
      examples: ['mogi-7tex-lura-93ke-vobi'],
    }),
  }),
]);

const listAllOperators = endpoint({
  useCase: 'operator.list',
  method: 'GET',
  path: '/operators',
  summary: 'Everybody who operates the service',
  answer: Type.Object({ data: Type.Array(OPERATOR) }),
  run: operatorList,
});

const addOneOperator = endpoint({
  useCase: 'operator.add',
  method: 'POST',
  path: '/operators',
  summary: 'Adds an operator',
  body: Type.Object({
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
      description: 'Small letters, digits, `.`, `_`, `-`.',
      examples: ['alice'],
    }),
    role: ROLE,
  }),
  answer: NEW_PASSWORD,
  status: 201,
  run: operatorAdd,
});

const changeRole = endpoint({
  useCase: 'operator.role',
  method: 'PUT',
  path: '/operators/:name/role',
  summary: 'Gives an operator another role, from the next request on',
  params: NAME,
  body: Type.Object({ role: ROLE }),
  answer: OPERATOR,
  run: operatorRole,
});

const resetOneOperator = endpoint({
  useCase: 'operator.reset',
  method: 'POST',
  path: '/operators/:name/reset',
  summary: 'Gives an operator a new password, without second factor, sessions and lock',
  params: NAME,
  answer: NEW_PASSWORD,
  run: operatorReset,
});

const disableOneOperator = endpoint({
  useCase: 'operator.disable',
  method: 'POST',
  path: '/operators/:name/disable',
  summary: 'Ends the sessions of an operator, who cannot sign in any more',
  params: NAME,
  answer: OPERATOR,
  run: operatorDisable,
});

const enableOneOperator = endpoint({
  useCase: 'operator.enable',
  method: 'POST',
  path: '/operators/:name/enable',
  summary: 'Lets a disabled operator sign in again',
  params: NAME,
  answer: OPERATOR,
  run: operatorEnable,
});

const removeOneOperator = endpoint({
  useCase: 'operator.remove',
  method: 'DELETE',
  path: '/operators/:name',
  summary: 'Removes an operator; the audit log keeps the name',
  params: NAME,
  status: 204,
  run: operatorRemove,
});

const listSessionsOf = endpoint({
  useCase: 'operator.sessions.list',
  method: 'GET',
  path: '/operators/:name/sessions',
  summary: 'Where an operator is signed in',
  params: NAME,
  answer: SESSIONS,
  handle: ({ params: { name }, person, database }) => listedSessions(database, name, person.session?.sessionId),
});

const endSessionsOf = endpoint({
  useCase: 'operator.sessions.end',
  method: 'DELETE',
  path: '/operators/:name/sessions',
  summary: 'Signs an operator out everywhere',
  params: NAME,
  answer: Type.Object({ ended: Type.Integer() }),
  handle: async ({ params: { name }, database }) => {
    await findOperator(database, name);
    return { ended: await endSessions(database, name) };
  },
});

export const OPERATOR_ENDPOINTS: readonly Endpoint[] = [
  listAllOperators,
  addOneOperator,
  changeRole,
  resetOneOperator,
  disableOneOperator,
  enableOneOperator,
  removeOneOperator,
  listSessionsOf,
  endSessionsOf,
];
