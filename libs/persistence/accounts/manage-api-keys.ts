import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { findAccount } from './accounts.js';
import { createApiKey } from './api-keys.js';
import { lockAccount } from './lock-account.js';

export interface ApiKeyOverview {
  readonly keyId: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
}

/**
 * Adds a key to an account, so that keys can be changed without a gap. Only the answer has its text.
 *
 * @throws OperatorError when there is no such account, or it is closed
 */
export function addApiKey(
  database: Database,
  accountId: string,
): Promise<{ readonly keyId: string; readonly apiKey: string }> {
  return database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    return createApiKey(transaction, accountId);
  });
}

/** The keys of an account, revoked ones as well, oldest first. */
export async function listApiKeys(database: Queryable, accountId: string): Promise<ApiKeyOverview[]> {
  await findAccount(database, accountId);
  const rows = await database.query<{ key_id: string; account_id: string; created_at: Date; revoked_at: Date | null }>(
    'select key_id, account_id, created_at, revoked_at from api_key where account_id = $1 order by created_at, key_id',
    [accountId],
  );
  return rows.map((row) => ({
    keyId: row.key_id,
    accountId: row.account_id,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
  }));
}

/**
 * Ends a key for good. Revoking it again changes nothing.
 *
 * @throws OperatorError when there is no such key
 */
export function revokeApiKey(database: Database, keyId: string): Promise<ApiKeyOverview> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ account_id: string; created_at: Date; revoked_at: Date }>(
      `update api_key set revoked_at = coalesce(revoked_at, now()) where key_id = $1
       returning account_id, created_at, revoked_at`,
      [keyId],
    );
    if (row === undefined) throw new OperatorError(`there is no key ${keyId}`);
    await announceChange(transaction, 'accounts');
    return { keyId, accountId: row.account_id, createdAt: row.created_at, revokedAt: row.revoked_at };
  });
}
