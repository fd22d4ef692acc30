import type { Queryable } from '../database/database.js';
import { findAccount } from './accounts.js';
import type { KeyScope, KeySettings } from './key-settings.js';
import { isSandbox, managedAccounts } from './sandbox.js';

export interface ApiKeyOverview extends KeySettings {
  readonly keyId: string;
  readonly accountId: string;
  /** It is a key of the account's sandbox. */
  readonly isTest: boolean;
  /** By the clock of the database. */
  readonly status: 'active' | 'expired' | 'revoked';
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
  /** The last request that had the key, refused ones too; up to a minute late. */
  readonly lastUsedAt: Date | undefined;
}

interface OverviewRow {
  key_id: string;
  account_id: string;
  name: string;
  scopes: KeyScope[];
  networks: string[] | null;
  status: ApiKeyOverview['status'];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

const COLUMNS = `key_id, account_id, name, scopes, networks, created_at, expires_at, revoked_at, last_used_at,
  case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end as status`;

/**
 * The keys of an account, its test keys and ended ones as well, oldest first.
 *
 * @throws OperatorError when there is no such account
 */
export async function listApiKeys(database: Queryable, accountId: string): Promise<ApiKeyOverview[]> {
  await findAccount(database, accountId);
  const rows = await database.query<OverviewRow>(
    `select ${COLUMNS} from api_key where account_id = any($1::bigint[]) order by created_at, key_id`,
    [managedAccounts(accountId)],
  );
  return rows.map(overviewOf);
}

/** A page of them, newest first. */
export async function apiKeysPage(
  database: Queryable,
  accountId: string,
  page: number,
  limit: number,
): Promise<{ readonly items: readonly ApiKeyOverview[]; readonly total: number }> {
  const [count] = await database.query<{ total: number }>(
    'select count(*)::integer as total from api_key where account_id = any($1::bigint[])',
    [managedAccounts(accountId)],
  );
  const rows = await database.query<OverviewRow>(
    `select ${COLUMNS} from api_key where account_id = any($1::bigint[])
      order by created_at desc, key_id desc limit $3 offset ($2::bigint - 1) * $3`,
    [managedAccounts(accountId), page, limit],
  );
  return { items: rows.map(overviewOf), total: count?.total ?? 0 };
}

/** The key, if it is one of this account or of its sandbox; undefined if not. */
export async function findApiKey(
  database: Queryable,
  accountId: string,
  keyId: string,
): Promise<ApiKeyOverview | undefined> {
  const [row] = await database.query<OverviewRow>(
    `select ${COLUMNS} from api_key where account_id = any($1::bigint[]) and key_id = $2`,
    [managedAccounts(accountId), keyId],
  );
  return row && overviewOf(row);
}

function overviewOf(row: OverviewRow): ApiKeyOverview {
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    isTest: isSandbox(row.account_id),
    name: row.name,
    scopes: row.scopes,
    networks: row.networks ?? [],
    status: row.status,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
