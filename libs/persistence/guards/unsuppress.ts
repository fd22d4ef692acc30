import type { Database, Queryable } from '../database/database.js';
import { forgetOptOut } from './cancel-opted-out.js';
import { type NumberHash, numberHash } from './number-hash.js';
import { lockList, noteWhetherEmpty, recordChange, type SuppressionSource } from './suppress.js';

/**
 * Takes a number off the suppression list of an account, or of a sandbox.
 *
 * @param e164 digits of a number, as `parseRecipient` returns them
 * @param source who wants it
 * @returns false when the number was not on the list
 * @throws OperatorError when there is no such account
 * @throws SecretUnreadable when this process lacks the secrets key
 */
export async function unsuppress(
  database: Database,
  accountId: string,
  e164: string,
  source: SuppressionSource,
): Promise<boolean> {
  const hash = await numberHash(database);
  return database.transaction((transaction) => takeOffList(transaction, hash, accountId, e164, source));
}

/**
 * Takes a number off the list, in the caller's transaction.
 *
 * @returns false when it was not on the list
 */
export async function takeOffList(
  transaction: Queryable,
  hashOf: NumberHash,
  accountId: string,
  e164: string,
  source: SuppressionSource,
): Promise<boolean> {
  const hash = hashOf(accountId, e164);
  await lockList(transaction, accountId);
  const removed = await transaction.query(
    `delete from suppression where account_id = $1 and number_hash = decode($2, 'hex') returning 1`,
    [accountId, hash],
  );
  if (removed.length === 0) return false;
  await forgetOptOut(transaction, accountId, e164);
  await noteWhetherEmpty(transaction, accountId);
  if (source !== 'recipient') await recordChange(transaction, accountId, hash, 'delete', { source });
  return true;
}
