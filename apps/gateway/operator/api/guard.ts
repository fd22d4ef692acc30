import type { FastifyRequest } from 'fastify';
import { Problem } from '../../http/problem.js';
import { accessOf, mayDo, type UseCase } from './access.js';
import type { Person } from './endpoint.js';

/** Lets a request pass only if the table of `access.ts` allows its use case to the person. */
export function requireAccess(request: FastifyRequest, useCase: UseCase): void {
  const { role, session } = personOf(request);
  const { roles, isPersonal, isFirst, isConfirmed } = accessOf(useCase);
  if (!mayDo(role, useCase)) {
    throw new Problem('role_missing', `The role ${role} does not allow this.`, { members: { roles } });
  }
  if (session === undefined) {
    if (isPersonal) throw new Problem('person_required', 'A token cannot do this; a person has to sign in.');
    return;
  }
  if (session.mustChangePassword && !isFirst) {
    throw new Problem('password_change_required', 'Choose a password of your own first.');
  }
  if (isConfirmed && !session.isConfirmed) {
    const by = session.hasSecondFactor ? 'code' : 'password';
    throw new Problem('confirmation_required', `Give your ${by} once more for this.`, { members: { by } });
  }
}

/** @throws Problem when nobody is signed in */
export function personOf({ person }: FastifyRequest): Person {
  if (person === undefined) throw new Problem('not_signed_in', 'Sign in first.');
  return person;
}
