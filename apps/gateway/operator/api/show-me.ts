import { Type } from '@sinclair/typebox';
import { OPERATOR_ROLES } from '#persistence';
import { ACCESS, useCasesOf } from './access.js';
import { endpoint } from './endpoint.js';

export const showMe = endpoint({
  useCase: 'me.show',
  method: 'GET',
  path: '/me',
  summary: 'Who is signed in, and what this person may do',
  answer: Type.Object({
    name: Type.String({ description: 'As the audit log has it.' }),
    role: Type.Union(OPERATOR_ROLES.map((role) => Type.Literal(role))),
    may: Type.Array(Type.String({ enum: Object.keys(ACCESS) }), {
      description: 'The use cases that the role allows. The console shows nothing else.',
    }),
  }),
  handle: ({ person: { name, role } }) => ({ name, role, may: useCasesOf(role) }),
});
