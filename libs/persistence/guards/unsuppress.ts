import type { Database, Queryable } from '../database/database.js';
import { numberHash } from './number-hash.js';
import { lockList, noteWhetherEmpty, recordChange, type SuppressionSource } from './suppress.js';

/**
 * Takes a number off the suppression list of an account, or of a sandbox.
 *
 * @param e164 digits of a number, as `parseRecipient` returns them
 * @param source who wants it
 * @returns false when the number was not on the list
 * @throws OperatorError when there is no such account
 * @throws SecretUnreadable when this process lacks the key for secrets
 */
export async function unsuppress(
  database: Database,
  accountId: string,
  e164: string,
  source: SuppressionSource,
): Promise<boolean> {
  const hash = (await numberHash(database))(accountId, e164);
  return database.transaction((transaction) => takeOffList(transaction, accountId, hash, source));
}

/**
 * Takes the hash of a number off the list, in the caller's transaction.
 *
 * @returns false when it was not on the list
 */
export async function takeOffList(
  transaction: Queryable,
  accountId: string,
  hash: Buffer,
  source: SuppressionSource,
): Promise<boolean> {
  await lockList(transaction, accountId);
  const removed = await transaction.query(
    'delete from suppression where account_id = $1 and number_hash = $2 returning 1',
    [accountId, hash],
  );
  if (removed.length === 0) return false;
  await noteWhetherEmpty(transaction, accountId);
  if (source !== 'recipient') await recordChange(transaction, accountId, hash, 'delete', { source });
  return true;
}
