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
const SUPPORT = ['support', 'admin'] as const;
const FINANCE = ['finance', 'admin'] as const;
const OFFICE = ['support', 'finance', 'admin'] as const;
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

  'account.list': { roles: EVERYBODY },
  'account.show': { roles: EVERYBODY },
  'account.create': { roles: OFFICE },
  'account.set': { roles: OFFICE },
  'account.set-rate-limit': { roles: SUPPORT },
  'account.set-credit-limit': { roles: FINANCE, isConfirmed: true },
  'account.set-test-balance': { roles: SUPPORT },
  'account.suspend': { roles: OFFICE },
  'account.resume': { roles: OFFICE },
  'account.close': { roles: ADMINS, isConfirmed: true },
  'account.statement': { roles: EVERYBODY },
  'account.usage': { roles: EVERYBODY },
  statement: { roles: EVERYBODY },
  'statement.file': { roles: EVERYBODY },
  margin: { roles: FINANCE },
  'cost.show': { roles: FINANCE },
  'cost.import': { roles: FINANCE },
  reconcile: { roles: FINANCE },
  'reconcile.add': { roles: FINANCE },
  'reconcile.compare': { roles: FINANCE },
  'reconcile.differences': { roles: FINANCE },
  'reconcile.remove': { roles: FINANCE },
  'account.ledger': { roles: EVERYBODY },

  deposit: { roles: FINANCE, isConfirmed: true },
  'deposit.list': { roles: EVERYBODY },
  adjust: { roles: FINANCE, isConfirmed: true },
  'fx.list': { roles: EVERYBODY },
  'fx.set': { roles: FINANCE },

  'key.list': { roles: EVERYBODY },
  'key.create': { roles: SUPPORT },
  'key.rotate': { roles: SUPPORT },
  'key.revoke': { roles: SUPPORT },

  'guard.list': { roles: EVERYBODY },
  'guard.show': { roles: EVERYBODY },
  'guard.set': { roles: OFFICE },
  'guard.clear': { roles: OFFICE },
  'guard.simulate': { roles: EVERYBODY },
  'suppression.list': { roles: EVERYBODY },
  'suppression.add': { roles: SUPPORT },
  'suppression.remove': { roles: SUPPORT },

  'tariff.list': { roles: EVERYBODY },
  'tariff.show': { roles: EVERYBODY },
  'tariff.preview': { roles: EVERYBODY },
  'tariff.import': { roles: FINANCE },
  'tariff.cancel': { roles: FINANCE },
  'tariff.set-default': { roles: FINANCE },

  'webhook.list': { roles: EVERYBODY },
  'webhook.show': { roles: EVERYBODY },
  'webhook.attempts': { roles: EVERYBODY },
  'webhook.disable': { roles: SUPPORT },
  'webhook.enable': { roles: SUPPORT },
  'webhook.replay': { roles: SUPPORT },

  'carrier.list': { roles: EVERYBODY },
  'carrier.show': { roles: EVERYBODY },
  'carrier.add': { roles: ADMINS },
  'carrier.set': { roles: ADMINS },
  'carrier.pause': { roles: SUPPORT },
  'carrier.resume': { roles: SUPPORT },
  'carrier.remove': { roles: ADMINS },
  'carrier.test': { roles: SUPPORT },

  'route.list': { roles: EVERYBODY },
  'route.test': { roles: EVERYBODY },
  'route.preview': { roles: EVERYBODY },
  'route.add': { roles: ADMINS },
  'route.set': { roles: ADMINS },
  'route.remove': { roles: ADMINS },
  'route.replace': { roles: ADMINS },

  'message.list': { roles: EVERYBODY },
  'message.show': { roles: EVERYBODY },
  /** Texts belong to the recipients. */
  'message.read-text': { roles: SUPPORT },
  'message.cancel': { roles: SUPPORT },
  'batch.cancel': { roles: SUPPORT },
  'receipts.unmatched': { roles: EVERYBODY },

  'inbound.list': { roles: EVERYBODY },
  'inbound.assign': { roles: SUPPORT },
  'number.list': { roles: EVERYBODY },
  'number.assign': { roles: SUPPORT },
  'number.release': { roles: SUPPORT },
  'keyword.list': { roles: EVERYBODY },
  'keyword.set': { roles: ADMINS },
  'keyword.remove': { roles: ADMINS },

  'queue.list': { roles: EVERYBODY },
  'hold.show': { roles: EVERYBODY },
  'hold.set': { roles: ADMINS, isConfirmed: true },
  'hold.resolve': { roles: ADMINS, isConfirmed: true },
  'hold.release': { roles: ADMINS, isConfirmed: true },
  'ledger.verify': { roles: OFFICE },
  'retention.show': { roles: EVERYBODY },
  'retention.set': { roles: ADMINS },
  'retention.show-account': { roles: EVERYBODY },
  'retention.set-account': { roles: ADMINS },
  'redact.message': { roles: SUPPORT },
  'redact.number': { roles: SUPPORT },
  'secrets.status': { roles: ADMINS },
  'secrets.rotate': { roles: ADMINS, isConfirmed: true },
  audit: { roles: EVERYBODY },
  'audit.export': { roles: EVERYBODY },
  doctor: { roles: EVERYBODY },
} as const satisfies Record<string, Access>;

export type UseCase = keyof typeof ACCESS;

export function accessOf(useCase: UseCase): Access {
  return ACCESS[useCase];
}

export function mayDo(role: OperatorRole, useCase: UseCase): boolean {
  return accessOf(useCase).roles.includes(role);
}

/** Everything that a role allows to a person, or to a token, which does nothing that is about a person. */
export function useCasesOf(role: OperatorRole, isToken: boolean): UseCase[] {
  return (Object.keys(ACCESS) as UseCase[]).filter(
    (useCase) => mayDo(role, useCase) && !(isToken && accessOf(useCase).isPersonal),
  );
}
