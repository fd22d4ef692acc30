import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Queryable } from './database.js';

const KEY_ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const API_KEY = /^hg_([0-9a-z]{8})_([A-Za-z0-9_-]{43})$/;

/** Who a valid key speaks for. */
export interface KeyHolder {
  readonly keyId: string;
  readonly accountId: string;
  readonly currency: string;
  readonly tariffId: string;
  readonly suspended: boolean;
  readonly rateLimitPerSecond: number | undefined;
}

interface KeyRow {
  secret_hash: Buffer;
  account_id: string;
  currency: string;
  tariff_id: string;
  status: string;
  rate_limit_per_second: number | null;
}

/** Makes a key for an account. The secret exists only in the returned text; the database keeps its SHA-256. */
export async function createApiKey(
  database: Queryable,
  accountId: string,
): Promise<{ readonly keyId: string; readonly apiKey: string }> {
  const keyId = Array.from({ length: 8 }, () => KEY_ID_ALPHABET[randomInt(KEY_ID_ALPHABET.length)]).join('');
  const secret = randomBytes(32).toString('base64url');
  await database.query('insert into api_key (key_id, account_id, secret_hash) values ($1, $2, $3)', [
    keyId,
    accountId,
    sha256(secret),
  ]);
  return { keyId, apiKey: `hg_${keyId}_${secret}` };
}

/** The holder of a key, or undefined when it is malformed, unknown, revoked or its secret is wrong. */
export async function findKeyHolder(database: Queryable, apiKey: string): Promise<KeyHolder | undefined> {
  const match = API_KEY.exec(apiKey);
  if (match === null) return undefined;
  const [, keyId = '', secret = ''] = match;
  const [row] = await database.query<KeyRow>(
    `select k.secret_hash, a.account_id, a.currency, a.tariff_id, a.status, a.rate_limit_per_second
       from api_key k join account a using (account_id)
      where k.key_id = $1 and k.revoked_at is null`,
    [keyId],
  );
  // A comparison is made for unknown keys as well, so that time does not tell which ids exist.
  const isRight = timingSafeEqual(row?.secret_hash ?? Buffer.alloc(32), sha256(secret));
  if (row === undefined || !isRight) return undefined;
  return {
    keyId,
    accountId: row.account_id,
    currency: row.currency,
    tariffId: row.tariff_id,
    suspended: row.status === 'suspended',
    rateLimitPerSecond: row.rate_limit_per_second ?? undefined,
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
