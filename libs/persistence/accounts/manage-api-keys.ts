import { announceKeyChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { type CreatedKey, createApiKey } from './api-keys.js';
import { type KeyManager, KeyRefused, lockKeys, refuseClosed, refuseMoreThanOwn } from './key-manager.js';
import { checkedKeySettings, KEY_SCOPES, type KeySettings, keyNameProblem } from './key-settings.js';
import { type ApiKeyOverview, findApiKey } from './list-api-keys.js';
import { refuseInternal } from './lock-account.js';
import { openSandbox } from './open-sandbox.js';
import { isSandbox, ownerOf, sandboxOf } from './sandbox.js';

/** Keys of an account that are neither revoked nor expired. */
export const ACTIVE_KEYS_MAX = 100;

/** A new key: what is left out is as far as the manager's own key goes; for an operator, everything. */
export interface WantedKey extends Partial<KeySettings> {
  /** A key of the account's sandbox, which the first such key opens; undefined: a key like the manager's own. */
  readonly isTest?: boolean | undefined;
}

export interface KeyRotation {
  /** How long the old key still works. */
  readonly overlapSeconds: number;
  /** When the new key expires; null: never; undefined: when the old one would have, without any overlap. */
  readonly expiresAt?: Date | null | undefined;
}

export interface RotatedKey extends CreatedKey {
  readonly created: ApiKeyOverview;
  readonly replaced: ApiKeyOverview;
}

/**
 * Adds a key to an account or to its sandbox. Only the answer has its text.
 *
 * @throws OperatorError when there is no such account, it is closed, or a setting is not valid
 * @throws KeyRefused when there are too many keys, or the manager's own key has less
 */
export function addApiKey(
  database: Database,
  accountId: string,
  wanted: WantedKey = {},
  manager?: KeyManager,
): Promise<CreatedKey & { readonly created: ApiKeyOverview }> {
  return database.transaction(async (transaction) => {
    const own = await lockKeys(transaction, accountId, manager);
    await refuseClosed(transaction, accountId);
    await refuseInternal(transaction, accountId);
    const settings = checkedKeySettings({
      name: wanted.name ?? '',
      scopes: wanted.scopes ?? own?.scopes ?? KEY_SCOPES,
      networks: wanted.networks ?? own?.networks ?? [],
      expiresAt: 'expiresAt' in wanted ? wanted.expiresAt : own?.expiresAt,
    });
    await refuseMoreThanOwn(transaction, own, settings);
    const { isTest = isSandbox(accountId) } = wanted;
    if (isSandbox(accountId) && !isTest) {
      throw new KeyRefused('exceeds_own_key', 'a test key makes test keys only', ['test']);
    }
    if (isTest) await openSandbox(transaction, ownerOf(accountId));
    const holder = isTest ? sandboxOf(accountId) : accountId;
    await refuseTooMany(transaction, holder);
    const key = await createApiKey(transaction, holder, settings);
    return { ...key, created: await keyOf(transaction, holder, key.keyId) };
  });
}

/**
 * Gives a key another name.
 *
 * @throws KeyRefused when the account has no such key
 */
export function renameApiKey(
  database: Database,
  keyId: string,
  name: string,
  manager: KeyManager,
): Promise<ApiKeyOverview> {
  const problem = keyNameProblem(name);
  if (problem !== undefined) throw new OperatorError(`the name ${problem}`);
  return database.transaction(async (transaction) => {
    await lockKeys(transaction, manager.accountId, manager);
    await keyOf(transaction, manager.accountId, keyId);
    await transaction.query('update api_key set name = $2 where key_id = $1', [keyId, name.trim()]);
    return keyOf(transaction, manager.accountId, keyId);
  });
}

/**
 * Ends a key for good. Revoking it again changes nothing.
 *
 * @throws KeyRefused when there is no such key, or a manager would revoke the last key that can manage keys
 */
export function revokeApiKey(database: Database, keyId: string, manager?: KeyManager): Promise<ApiKeyOverview> {
  return database.transaction(async (transaction) => {
    const accountId = manager?.accountId ?? (await accountOf(transaction, keyId));
    await lockKeys(transaction, accountId, manager);
    const key = await keyOf(transaction, accountId, keyId);
    if (key.status === 'revoked') return key;
    // The owner can always make other test keys.
    if (manager?.accountId === key.accountId) await refuseLastManageKey(transaction, key);
    await transaction.query('update api_key set revoked_at = now() where key_id = $1', [keyId]);
    await announceKeyChange(transaction, key.accountId);
    return keyOf(transaction, accountId, keyId);
  });
}

/**
 * Makes a key like another one, which goes on working for a while, so that its users can change over without a gap.
 *
 * @throws KeyRefused when there is no such key, it has ended, or the manager's own key has less
 */
export function rotateApiKey(
  database: Database,
  keyId: string,
  { overlapSeconds, expiresAt }: KeyRotation,
  manager?: KeyManager,
): Promise<RotatedKey> {
  return database.transaction(async (transaction) => {
    const accountId = manager?.accountId ?? (await accountOf(transaction, keyId));
    const own = await lockKeys(transaction, accountId, manager);
    await refuseClosed(transaction, accountId);
    const old = await keyOf(transaction, accountId, keyId);
    if (old.status !== 'active') {
      throw new KeyRefused('key_ended', `key ${keyId} ${old.status === 'revoked' ? 'is revoked' : 'has expired'}`);
    }
    const settings = checkedKeySettings({
      ...old,
      expiresAt: expiresAt === undefined ? await ownExpiryOf(transaction, keyId) : (expiresAt ?? undefined),
    });
    await refuseMoreThanOwn(transaction, own, settings);
    await transaction.query(
      `update api_key
          set expires_at = least(expires_at, now() + make_interval(secs => $2)),
              own_expires_at = coalesce(own_expires_at, expires_at, 'infinity') where key_id = $1`,
      [keyId, overlapSeconds],
    );
    await announceKeyChange(transaction, old.accountId);
    await refuseTooMany(transaction, old.accountId);
    const key = await createApiKey(transaction, old.accountId, settings);
    return {
      ...key,
      created: await keyOf(transaction, accountId, key.keyId),
      replaced: await keyOf(transaction, accountId, keyId),
    };
  });
}

async function accountOf(transaction: Queryable, keyId: string): Promise<string> {
  const [row] = await transaction.query<{ account_id: string }>('select account_id from api_key where key_id = $1', [
    keyId,
  ]);
  if (row === undefined) throw unknownKey(keyId);
  return row.account_id;
}

async function keyOf(transaction: Queryable, accountId: string, keyId: string): Promise<ApiKeyOverview> {
  const key = await findApiKey(transaction, accountId, keyId);
  if (key === undefined) throw unknownKey(keyId);
  return key;
}

/**
 * When a key would expire if it had never been rotated. Who rotates it once more, because nobody got the new key, wants
 * one that outlives the overlap.
 */
async function ownExpiryOf(transaction: Queryable, keyId: string): Promise<Date | undefined> {
  const [row] = await transaction.query<{ at: Date | null }>(
    `select nullif(coalesce(own_expires_at, expires_at), 'infinity') as at from api_key where key_id = $1`,
    [keyId],
  );
  return row?.at ?? undefined;
}

function unknownKey(keyId: string): KeyRefused {
  return new KeyRefused('no_such_key', `there is no key ${keyId}`);
}

async function refuseTooMany(transaction: Queryable, accountId: string): Promise<void> {
  const [row] = await transaction.query<{ active: number }>(
    `select count(*)::integer as active from api_key
      where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
    [accountId],
  );
  if ((row?.active ?? 0) < ACTIVE_KEYS_MAX) return;
  throw new KeyRefused('too_many_keys', `account ${accountId} has ${ACTIVE_KEYS_MAX} active keys: revoke one first`);
}

/** Another key with the scope `manage` counts if it works at least as long as this one would. */
async function refuseLastManageKey(
  transaction: Queryable,
  { keyId, accountId, scopes }: ApiKeyOverview,
): Promise<void> {
  if (!scopes.includes('manage')) return;
  const [other] = await transaction.query(
    `select from api_key o join api_key k on k.account_id = o.account_id and k.key_id = $2
      where o.account_id = $1 and o.key_id <> $2 and o.revoked_at is null and 'manage' = any(o.scopes)
        and coalesce(o.expires_at, 'infinity') > now()
        and coalesce(o.expires_at, 'infinity') >= coalesce(k.expires_at, 'infinity') limit 1`,
    [accountId, keyId],
  );
  if (other !== undefined) return;
  throw new KeyRefused('last_manage_key', `key ${keyId} is the last one of account ${accountId} that can manage keys`);
}
