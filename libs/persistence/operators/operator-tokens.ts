import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { lineForm } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { sha256 } from '../database/sha256.js';
import { OperatorError } from './operator-error.js';
import type { OperatorRole } from './roles.js';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TOKEN = /^hgo_([0-9a-z]{8})_([A-Za-z0-9_-]{43})$/;
const NAME_LENGTH_MAX = 100;
const NAME = lineForm(1, NAME_LENGTH_MAX);
export const TOKEN_DAYS_MAX = 366;

/** What a program uses the operators' API with. */
export interface OperatorToken {
  readonly tokenId: string;
  /** For people: what uses it. */
  readonly name: string;
  readonly role: OperatorRole;
  readonly status: 'active' | 'expired' | 'revoked';
  /** Who made it, as the audit log has it. */
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | undefined;
  readonly revokedAt: Date | undefined;
}

/** The token of a request. */
export interface TokenHolder {
  readonly tokenId: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly expiresAt: Date;
}

export interface WantedToken {
  readonly name: string;
  readonly role: OperatorRole;
  readonly expiresAt: Date;
}

/**
 * Makes a token. Only the answer has its text; the database keeps its SHA-256.
 *
 * @param madeBy the person who makes it
 * @throws OperatorError when the name or the expiry is not valid
 */
export async function addToken(
  database: Database,
  { name, role, expiresAt }: WantedToken,
  madeBy: string,
): Promise<OperatorToken & { readonly token: string }> {
  const plainName = name.trim();
  if (!NAME.test(plainName)) {
    throw new OperatorError(`the name of a token has 1 to ${NAME_LENGTH_MAX} printable characters`);
  }
  const lifeMs = expiresAt.getTime() - Date.now();
  if (!(lifeMs > 0 && lifeMs <= TOKEN_DAYS_MAX * 86_400_000)) {
    throw new OperatorError(`a token expires within ${TOKEN_DAYS_MAX} days`);
  }
  const tokenId = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const secret = randomBytes(32).toString('base64url');
  await database.query(
    `insert into operator_token (token_id, name, role, token_hash, made_by, expires_at) values ($1, $2, $3, $4, $5, $6)`,
    [tokenId, plainName, role, sha256(secret), madeBy, expiresAt],
  );
  return { ...(await findToken(database, tokenId)), token: `hgo_${tokenId}_${secret}` };
}

/** The newest first. */
export async function listTokens(database: Queryable): Promise<OperatorToken[]> {
  return readTokens(database, null);
}

/**
 * Ends a token for good. Revoking it again changes nothing.
 *
 * @throws OperatorError when there is no such token
 */
export async function revokeToken(database: Database, tokenId: string): Promise<OperatorToken> {
  await database.query('update operator_token set revoked_at = now() where token_id = $1 and revoked_at is null', [
    tokenId,
  ]);
  return findToken(database, tokenId);
}

/** The holder of a token's text; undefined: it is unknown, revoked or expired. */
export async function findTokenHolder(database: Queryable, text: string): Promise<TokenHolder | undefined> {
  const [, tokenId = '', secret = ''] = TOKEN.exec(text) ?? [];
  if (tokenId === '') return undefined;
  const [row] = await database.query<TokenHolder & { hash: Buffer; isUnseen: boolean }>(
    `select token_id as "tokenId", name, role, expires_at as "expiresAt", token_hash as hash,
            coalesce(last_used_at < now() - interval '1 minute', true) as "isUnseen"
       from operator_token where token_id = $1 and revoked_at is null and expires_at > now()`,
    [tokenId],
  );
  // Unknown tokens are compared too, so that the time does not tell which ids exist.
  const isRight = timingSafeEqual(row?.hash ?? Buffer.alloc(32), sha256(secret));
  if (row === undefined || !isRight) return undefined;
  const { hash: _hash, isUnseen, ...holder } = row;
  if (isUnseen) await database.query('update operator_token set last_used_at = now() where token_id = $1', [tokenId]);
  return holder;
}

async function findToken(database: Queryable, tokenId: string): Promise<OperatorToken> {
  const [token] = await readTokens(database, tokenId);
  if (token === undefined) throw new OperatorError(`there is no token ${tokenId}`, 'missing');
  return token;
}

async function readTokens(database: Queryable, tokenId: string | null): Promise<OperatorToken[]> {
  const rows = await database.query<
    Omit<OperatorToken, 'lastUsedAt' | 'revokedAt'> & { lastUsedAt: Date | null; revokedAt: Date | null }
  >(
    `select token_id as "tokenId", name, role, made_by as "madeBy", created_at as "createdAt", expires_at as "expiresAt",
            last_used_at as "lastUsedAt", revoked_at as "revokedAt",
            case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as status
       from operator_token where $1::text is null or token_id = $1 order by created_at desc, token_id`,
    [tokenId],
  );
  return rows.map((row) => ({
    ...row,
    lastUsedAt: row.lastUsedAt ?? undefined,
    revokedAt: row.revokedAt ?? undefined,
  }));
}
