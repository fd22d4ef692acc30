import { OPERATOR_ROLES, type OperatorRole } from '#persistence';

interface Access {
  /** Who may do it. An admin may do everything. */
  readonly roles: readonly OperatorRole[];
  /** Money, roles and holds: a person gives the second factor again, if that was longer than five minutes ago. */
  readonly isConfirmed?: true;
  /** About the person itself: no token may do it. */
  readonly isPersonal?: true;
  /** Also as long as a person has not chosen a password. */
  readonly isFirst?: true;
}

const EVERYBODY = OPERATOR_ROLES;
const ADMINS = ['admin'] as const;

/**
 * The one table of what the operators' API does and who may do it. The guard (`guard.ts`), the OpenAPI document and the
 * console (by `may` of `GET /api/me`) take it from here. A use case that is a command of smsctl has its name:
 * `account.create` is `smsctl account create`.
 */
export const ACCESS = {
  'api.describe': { roles: EVERYBODY },
  'overview.show': { roles: EVERYBODY },

  'session.start': { roles: EVERYBODY },
  'session.end': { roles: EVERYBODY, isPersonal: true, isFirst: true },
  'session.confirm': { roles: EVERYBODY, isPersonal: true },
  'me.show': { roles: EVERYBODY, isFirst: true },
  'me.change-password': { roles: EVERYBODY, isPersonal: true, isFirst: true },
  'me.second-factor.begin': { roles: EVERYBODY, isPersonal: true, isConfirmed: true },
  'me.second-factor.enable': { roles: EVERYBODY, isPersonal: true, isConfirmed: true },
  'me.second-factor.disable': { roles: EVERYBODY, isPersonal: true, isConfirmed: true },
  'me.recovery-codes.renew': { roles: EVERYBODY, isPersonal: true, isConfirmed: true },
  'me.sessions.list': { roles: EVERYBODY, isPersonal: true },
  'me.sessions.end': { roles: EVERYBODY, isPersonal: true },

  'operator.list': { roles: ADMINS },
  'operator.add': { roles: ADMINS, isConfirmed: true },
  'operator.role': { roles: ADMINS, isConfirmed: true },
  'operator.reset': { roles: ADMINS, isConfirmed: true },
  'operator.disable': { roles: ADMINS, isConfirmed: true },
  'operator.enable': { roles: ADMINS, isConfirmed: true },
  'operator.remove': { roles: ADMINS, isConfirmed: true },
  'operator.sessions.list': { roles: ADMINS },
  'operator.sessions.end': { roles: ADMINS, isConfirmed: true },
  'operator.token.list': { roles: ADMINS },
  'operator.token.add': { roles: ADMINS, isConfirmed: true },
  'operator.token.revoke': { roles: ADMINS, isConfirmed: true },
} as const satisfies Record<string, Access>;

export type UseCase = keyof typeof ACCESS;

export function accessOf(useCase: UseCase): Access {
  return ACCESS[useCase];
}

export function mayDo(role: OperatorRole, useCase: UseCase): boolean {
  return accessOf(useCase).roles.includes(role);
}

/** Everything that a role may do. */
export function useCasesOf(role: OperatorRole): UseCase[] {
  return (Object.keys(ACCESS) as UseCase[]).filter((useCase) => mayDo(role, useCase));
}
