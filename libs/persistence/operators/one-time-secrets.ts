import { keyIdOf, type SecretKeys, SecretUnreadable } from '../carriers/secret-keys.js';
import type { Queryable } from '../database/database.js';
import { OperatorError } from './operator-error.js';

/** @throws OperatorError when there is no key */
export function sealOneTimeSecret(keys: SecretKeys, operatorId: number, secret: string): string {
  try {
    return keys.seal(secret, identityOf(operatorId));
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new OperatorError('the secret of a second factor cannot be stored: set SECRETS_KEY_FILE');
  }
}

/** @throws SecretUnreadable saying what cannot be read, and which key is missing */
export function openOneTimeSecret(keys: SecretKeys, operatorId: number, stored: string): string {
  return keys.open(stored, identityOf(operatorId), 'the second factor');
}

/** The ids of the keys that secrets of one-time codes are encrypted with. */
export async function oneTimeKeyIds(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ stored: string }>(
    `select distinct on (split_part(totp_secret, ':', 2)) totp_secret as stored from operator where totp_secret is not null`,
  );
  return rows.flatMap(({ stored }) => keyIdOf(stored) ?? []);
}

/**
 * Encrypts them with the current key. Enrolments that have begun begin again.
 *
 * @returns whether there was one with another key
 * @throws OperatorError when one cannot be read
 */
export async function rotateOneTimeSecrets(transaction: Queryable, keys: SecretKeys): Promise<boolean> {
  const rows = await transaction.query<{ id: number; name: string; stored: string }>(
    `select operator_id as id, name, totp_secret as stored from operator
      where totp_secret is not null order by operator_id for update`,
  );
  await transaction.query('update operator set totp_pending_secret = null where totp_pending_secret is not null');
  const others = rows.filter(({ stored }) => keyIdOf(stored) !== keys.currentId);
  for (const { id, name, stored } of others) {
    await transaction.query('update operator set totp_secret = $2 where operator_id = $1', [
      id,
      sealOneTimeSecret(keys, id, openedForRotation(keys, id, name, stored)),
    ]);
  }
  return others.length > 0;
}

function openedForRotation(keys: SecretKeys, operatorId: number, name: string, stored: string): string {
  try {
    return keys.open(stored, identityOf(operatorId));
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new OperatorError(`nothing was changed: the second factor of operator ${name} ${error.message}`);
  }
}

/** The row and column of the secret. */
function identityOf(operatorId: number): string {
  return `operator:${operatorId}:totp_secret`;
}
