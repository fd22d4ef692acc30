import type { OperatorSession } from '#persistence';
import { Problem } from '../../../http/problem.js';
import type { Person } from '../endpoint.js';

/** The session of a person; the guard lets no token come here. */
export function sessionOf({ session }: Person): OperatorSession {
  if (session === undefined) throw new Problem('person_required', 'A token cannot do this.');
  return session;
}
