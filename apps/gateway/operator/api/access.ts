import { OPERATOR_ROLES, type OperatorRole } from '#persistence';

interface Access {
  /** Who may do it. An admin may do everything. */
  readonly roles: readonly OperatorRole[];
  /** Money, roles and holds: a person gives the second factor again, if that was longer than five minutes ago. */
  readonly confirmed?: true;
}

const EVERYBODY = OPERATOR_ROLES;

/**
 * The one table of what the operators' API does and who may do it. The guard (`serve-api.ts`), the OpenAPI document and
 * the console (by `may` of `GET /api/me`) take it from here. A use case that is a command of smsctl has its name:
 * `account.create` is `smsctl account create`.
 */
export const ACCESS = {
  'api.describe': { roles: EVERYBODY },
  'me.show': { roles: EVERYBODY },
  'overview.show': { roles: EVERYBODY },
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
