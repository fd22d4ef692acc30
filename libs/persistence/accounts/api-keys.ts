import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { BlockList } from 'node:net';
import type { Queryable } from '../database/database.js';
import { sha256 } from '../database/sha256.js';
import { type AccountGuards, accountGuardsOf, GUARD_COLUMNS, type GuardRow } from '../guards/find-guards.js';
import { KEY_SCOPES, type KeyScope, type KeySettings } from './key-settings.js';
import { isSandbox } from './sandbox.js';

const KEY_ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** `hg_test_...` is a key of a sandbox, `hgc_...` a token of the console. */
const API_KEY = /^hg(c?)_(test_)?([0-9a-z]{8})_([A-Za-z0-9_-]{43})$/;

/** The account of a valid key. */
export interface KeyHolder extends AccountGuards {
  readonly keyId: string;
  readonly accountId: string;
  /** It is a token of the console, which has the rights of its key; undefined: the key itself. */
  readonly consoleTokenId: string | undefined;
  /** It is a test key: the account is a sandbox. */
  readonly isTest: boolean;
  readonly currency: string;
  readonly tariffId: string;
  readonly suspended: boolean;
  readonly closed: boolean;
  readonly rateLimitPerSecond: number | undefined;
  /** An operator has bounded its messages in flight. */
  readonly hasInFlightMax: boolean;
  /** The senders that its messages may have, also the account's own. */
  readonly senders: readonly string[];
  /** What the key may not do, or no longer; undefined: it may do everything, from anywhere, for ever. */
  readonly bounds: KeyBounds | undefined;
}

export interface KeyBounds {
  readonly scopes: readonly KeyScope[];
  /** The addresses from which it may be used; undefined: all. */
  readonly networks: BlockList | undefined;
  /** By `performance.now()` of this process: the database said how much time was left. Infinity: never. */
  readonly expiresAtMs: number;
}

export interface CreatedKey {
  readonly keyId: string;
  readonly apiKey: string;
}

interface KeyRow extends GuardRow {
  given_id: string;
  key_id: string;
  secret_hash: Buffer;
  account_id: string;
  currency: string;
  tariff_id: string;
  status: string;
  rate_limit_per_second: number | null;
  has_in_flight_max: boolean;
  senders: string[];
  scopes: KeyScope[];
  networks: string[] | null;
  expires_in_ms: number | null;
}

const ALL: KeySettings = { name: '', scopes: KEY_SCOPES, networks: [], expiresAt: undefined };

/** Makes a key for an account. The secret exists only in the returned text; the database keeps its SHA-256. */
export async function createApiKey(
  database: Queryable,
  accountId: string,
  { name, scopes, networks, expiresAt }: KeySettings = ALL,
): Promise<CreatedKey> {
  const keyId = Array.from({ length: 8 }, () => KEY_ID_ALPHABET[randomInt(KEY_ID_ALPHABET.length)]).join('');
  const secret = randomBytes(32).toString('base64url');
  await database.query(
    `insert into api_key (key_id, account_id, secret_hash, name, scopes, networks, expires_at)
     values ($1, $2, $3, $4, $5, (select array_agg(distinct network(n)) from unnest($6::inet[]) n), $7)`,
    [keyId, accountId, sha256(secret), name, scopes, networks, expiresAt ?? null],
  );
  return { keyId, apiKey: `hg_${isSandbox(accountId) ? 'test_' : ''}${keyId}_${secret}` };
}

/** Whether a text has the form of a key or of a token; only then the database is asked. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

/** The holder of a key, or undefined when it is malformed, unknown, revoked or its secret is wrong. */
export async function findKeyHolder(database: Queryable, apiKey: string): Promise<KeyHolder | undefined> {
  return (await findKeyHolders(database, [apiKey]))[0];
}

/**
 * The holders of keys and of tokens, in order; undefined for one that is malformed, unknown, revoked or whose secret is
 * wrong.
 */
export async function findKeyHolders(
  database: Queryable,
  apiKeys: readonly string[],
): Promise<(KeyHolder | undefined)[]> {
  const parts = apiKeys.map((apiKey) => API_KEY.exec(apiKey));
  const idsOf = (kind: string) => parts.flatMap((match) => (match?.[1] === kind ? [match[3] ?? ''] : []));
  const tokenIds = idsOf('c');
  const [ofKeys, ofTokens] = [
    await database.query<KeyRow>(KEY_QUERY, [idsOf('')]),
    tokenIds.length === 0 ? [] : await database.query<KeyRow>(TOKEN_QUERY, [tokenIds]),
  ];
  const keys = new Map(ofKeys.map((row) => [row.given_id, row]));
  const tokens = new Map(ofTokens.map((row) => [row.given_id, row]));
  return parts.map((match) => {
    if (match === null) return undefined;
    const [, kind, prefix, id = '', secret = ''] = match;
    const isToken = kind === 'c';
    const holder = holderOf((isToken ? tokens : keys).get(id), secret, isToken);
    // A key whose text does not say what it is does not exist.
    return holder?.isTest === (prefix !== undefined) ? holder : undefined;
  });
}

const HOLDER_COLUMNS = `k.key_id, a.account_id, a.currency, a.tariff_id, a.status, a.rate_limit_per_second,
            a.max_in_flight is not null as has_in_flight_max,
            array_remove(array_remove(a.allowed_senders, a.sender) || a.sender, null) as senders, k.scopes, k.networks,
            ${GUARD_COLUMNS}`;
const KEY_QUERY = `select ${HOLDER_COLUMNS}, k.key_id as given_id, k.secret_hash,
            extract(epoch from k.expires_at - clock_timestamp())::float8 * 1000 as expires_in_ms
       from api_key k join account a using (account_id)
      where k.key_id = any($1::text[]) and k.revoked_at is null`;
/** A token ends with its key at the latest. */
const TOKEN_QUERY = `select ${HOLDER_COLUMNS}, t.token_id as given_id, t.secret_hash,
            extract(epoch from least(t.expires_at, k.expires_at) - clock_timestamp())::float8 * 1000 as expires_in_ms
       from console_token t join api_key k using (key_id) join account a using (account_id)
      where t.token_id = any($1::text[]) and k.revoked_at is null`;

/** @returns undefined unless the row's secret is this one */
function holderOf(row: KeyRow | undefined, secret: string, isToken: boolean): KeyHolder | undefined {
  // Unknown keys are compared too, so that the time does not tell which ids exist.
  const isRight = timingSafeEqual(row?.secret_hash ?? Buffer.alloc(32), sha256(secret));
  if (row === undefined || !isRight) return undefined;
  return {
    keyId: row.key_id,
    consoleTokenId: isToken ? row.given_id : undefined,
    accountId: row.account_id,
    isTest: isSandbox(row.account_id),
    currency: row.currency,
    tariffId: row.tariff_id,
    suspended: row.status === 'suspended',
    closed: row.status === 'closed',
    rateLimitPerSecond: row.rate_limit_per_second ?? undefined,
    hasInFlightMax: row.has_in_flight_max,
    senders: row.senders,
    bounds: boundsOf(row),
    ...accountGuardsOf(row),
  };
}

function boundsOf({ scopes, networks, expires_in_ms: expiresInMs }: KeyRow): KeyBounds | undefined {
  if (scopes.length === KEY_SCOPES.length && networks === null && expiresInMs === null) return undefined;
  return {
    scopes,
    networks: networks === null ? undefined : blockListOf(networks),
    expiresAtMs: expiresInMs === null ? Number.POSITIVE_INFINITY : performance.now() + expiresInMs,
  };
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
