import { keyIdOf, type SecretKeys, SecretUnreadable } from '../carriers/secret-keys.js';
import type { Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { secretIdentity } from './text-keys.js';

/** The ids of the keys for secrets that keys of texts are encrypted with. */
export async function textKeyIds(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ secret: string }>(
    `select distinct on (split_part(secret, ':', 2)) secret from text_key`,
  );
  return rows.flatMap(({ secret }) => keyIdOf(secret) ?? []);
}

/**
 * Encrypts the keys of texts with the current secrets key; they stay the same keys, so the messages stay as they
 * are.
 *
 * @returns whether there was one with another key
 * @throws OperatorError when one cannot be read
 */
export async function rotateTextKeys(transaction: Queryable, keys: SecretKeys): Promise<boolean> {
  const rows = await transaction.query<{ id: string; secret: string }>(
    'select key_id as id, secret from text_key order by key_id for update',
  );
  const others = rows.filter(({ secret }) => keyIdOf(secret) !== keys.currentId);
  for (const { id, secret } of others) {
    const anew = keys.seal(opened(keys, id, secret), secretIdentity(id));
    await transaction.query('update text_key set secret = $2 where key_id = $1', [id, anew]);
  }
  return others.length > 0;
}

function opened(keys: SecretKeys, id: string, secret: string): string {
  try {
    return keys.open(secret, secretIdentity(id));
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw new OperatorError(`nothing was changed: key ${id} of texts ${error.message}`);
  }
}
