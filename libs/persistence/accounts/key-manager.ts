import type { Queryable } from '../database/database.js';
import type { OperatorActor } from '../operators/operator-actor.js';
import { actAs } from '../operators/operator-changes.js';
import { OperatorError } from '../operators/operator-error.js';
import { isAccountId, unknownAccount } from './accounts.js';
import type { KeySettings } from './key-settings.js';
import { type ApiKeyOverview, findApiKey } from './list-api-keys.js';
import { ownerOf } from './sandbox.js';

/** A key with the scope `manage`, with which an owner changes the keys of its account. Without one: an operator. */
export interface KeyManager {
  readonly keyId: string;
  readonly accountId: string;
  /** Recorded with the change. */
  readonly actor: OperatorActor;
}

export type KeyRefusal =
  | 'no_such_key'
  /** The key with which the change was asked for has been revoked, or has expired, meanwhile. */
  | 'manager_ended'
  | 'key_ended'
  | 'too_many_keys'
  | 'last_manage_key'
  | 'exceeds_own_key';

/** A change of keys that cannot be made; nothing was changed. */
export class KeyRefused extends OperatorError {
  constructor(
    readonly refusal: KeyRefusal,
    reason: string,
    /** With `exceeds_own_key`: the settings that are more than the manager has. */
    readonly settings: readonly (keyof KeySettings | 'test')[] = [],
  ) {
    super(reason, refusal === 'no_such_key' ? 'missing' : 'refused');
  }
}

/**
 * Locks the keys of an account and of its sandbox against other changes of them; messages are accepted meanwhile.
 *
 * @returns the manager's own key; undefined for an operator
 * @throws OperatorError when there is no such account
 * @throws KeyRefused when the manager's key has ended
 */
export async function lockKeys(
  transaction: Queryable,
  accountId: string,
  manager: KeyManager | undefined,
): Promise<ApiKeyOverview | undefined> {
  if (manager !== undefined) await actAs(transaction, manager.actor);
  const owner = ownerOf(accountId);
  const [account] = isAccountId(owner)
    ? await transaction.query('select from account where account_id = $1 for no key update', [owner])
    : [];
  if (account === undefined) throw unknownAccount(accountId);
  if (manager === undefined) return undefined;
  // A separate statement, because it must see what was committed while it waited for the lock.
  const own = await findApiKey(transaction, accountId, manager.keyId);
  if (own?.status === 'active' && own.scopes.includes('manage')) return own;
  throw new KeyRefused('manager_ended', 'the key of this request has ended');
}

/** @throws OperatorError when the account is closed */
export async function refuseClosed(transaction: Queryable, accountId: string): Promise<void> {
  const [row] = await transaction.query<{ status: string }>('select status from account where account_id = $1', [
    accountId,
  ]);
  if (row?.status === 'closed') throw new OperatorError(`account ${accountId} is closed`);
}

/**
 * Checks that a key gives no more than the manager's own key has. An operator may give everything.
 *
 * @throws KeyRefused naming each setting that is more
 */
export async function refuseMoreThanOwn(
  transaction: Queryable,
  own: ApiKeyOverview | undefined,
  { scopes, networks, expiresAt }: KeySettings,
): Promise<void> {
  if (own === undefined) return;
  const more: (keyof KeySettings)[] = [];
  if (!scopes.every((scope) => own.scopes.includes(scope))) more.push('scopes');
  if (own.networks.length > 0 && !(await areWithin(transaction, networks, own.networks))) more.push('networks');
  if (own.expiresAt !== undefined && (expiresAt === undefined || expiresAt > own.expiresAt)) more.push('expiresAt');
  if (more.length > 0) throw new KeyRefused('exceeds_own_key', 'a key cannot give more than it has', more);
}

async function areWithin(
  transaction: Queryable,
  networks: readonly string[],
  outer: readonly string[],
): Promise<boolean> {
  const [row] = await transaction.query<{ within: boolean | null }>(
    `select bool_and(exists (select from unnest($2::cidr[]) o where n <<= o)) as within from unnest($1::inet[]) n`,
    [networks, outer],
  );
  return row?.within === true;
}
