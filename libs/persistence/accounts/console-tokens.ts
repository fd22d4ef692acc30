import { randomBytes, randomInt } from 'node:crypto';
import type { Database, Queryable } from '../database/database.js';
import { sha256 } from '../database/sha256.js';
import { isSandbox, ownerOf } from './sandbox.js';

const TOKEN_ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TOKEN_ID_LENGTH = 8;
const CONSOLE_TOKEN_HOURS = 12;
/** Live tokens of one key: a further one ends the oldest. */
const TOKENS_OF_A_KEY_MAX = 20;

/** A token for the console, with what the console says about its key. */
export interface ConsoleToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly accountName: string;
  readonly keyName: string;
}

interface TokenRow {
  expires_at: Date;
  account_name: string;
  key_name: string;
}

/**
 * Makes a token of a key for a browser. The secret exists only in the returned text; the database keeps its SHA-256.
 * Tokens of the key that have ended are removed.
 *
 * @returns undefined when the key was revoked or has expired meanwhile
 */
export function createConsoleToken(
  database: Database,
  accountId: string,
  keyId: string,
): Promise<ConsoleToken | undefined> {
  const tokenId = Array.from(
    { length: TOKEN_ID_LENGTH },
    () => TOKEN_ID_ALPHABET[randomInt(TOKEN_ID_ALPHABET.length)],
  ).join('');
  const secret = randomBytes(32).toString('base64url');
  return database.transaction(async (transaction) => {
    // Tokens of one key are made one after the other.
    const [row] = await transaction.query<TokenRow>(
      `with key as (
         select k.key_id, k.name as key_name, k.expires_at as key_expires_at
           from api_key k where k.key_id = $1 and k.revoked_at is null and coalesce(k.expires_at > now(), true)
            for no key update
       ), made as (
         insert into console_token (token_id, key_id, secret_hash, expires_at)
         select $2, key_id, $3, least(now() + make_interval(hours => $4::int), key_expires_at) from key
         returning expires_at
       )
       select made.expires_at, key.key_name, (select name from account where account_id = $5) as account_name
         from made, key`,
      [keyId, tokenId, sha256(secret), CONSOLE_TOKEN_HOURS, ownerOf(accountId)],
    );
    if (row === undefined) return undefined;
    await transaction.query(
      `delete from console_token
        where key_id = $1 and (expires_at <= now() or token_id in (
          select token_id from console_token where key_id = $1 order by created_at desc, token_id offset $2))`,
      [keyId, TOKENS_OF_A_KEY_MAX],
    );
    return {
      token: `hgc_${isSandbox(accountId) ? 'test_' : ''}${tokenId}_${secret}`,
      expiresAt: row.expires_at,
      accountName: row.account_name,
      keyName: row.key_name,
    };
  });
}

/** Ends a token before its time; one that has ended already is left as it is. */
export async function endConsoleToken(database: Queryable, tokenId: string): Promise<void> {
  await database.query('delete from console_token where token_id = $1', [tokenId]);
}
