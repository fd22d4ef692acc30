import type { Database, Queryable } from '../database/database.js';
import { numberHash } from './number-hash.js';
import type { SuppressionSource } from './suppress.js';

/** An entry of a suppression list. The number itself is not kept. */
export interface Suppression {
  /** The hash of the number, in hexadecimal. */
  readonly id: string;
  readonly source: SuppressionSource;
  readonly reason: string | undefined;
  readonly createdAt: Date;
}

type Row = Omit<Suppression, 'reason'> & { reason: string | null };

const COLUMNS = `encode(number_hash, 'hex') as id, source, reason, created_at as "createdAt"`;

/** The entry of a number on the list of an account, or of a sandbox; undefined: it is not on the list. */
export async function findSuppression(
  database: Database,
  accountId: string,
  e164: string,
): Promise<Suppression | undefined> {
  const hash = (await numberHash(database))(accountId, e164);
  const [row] = await database.query<Row>(
    `select ${COLUMNS} from suppression where account_id = $1 and number_hash = decode($2, 'hex')`,
    [accountId, hash],
  );
  return row && suppressionOf(row);
}

/** A page of the list, newest first. */
export async function suppressionsPage(
  database: Queryable,
  accountId: string,
  page: number,
  limit: number,
): Promise<{ readonly items: readonly Suppression[]; readonly total: number }> {
  const [count] = await database.query<{ total: number }>(
    'select count(*)::integer as total from suppression where account_id = $1',
    [accountId],
  );
  const rows = await database.query<Row>(
    `select ${COLUMNS} from suppression where account_id = $1
      order by created_at desc, number_hash desc limit $3 offset ($2::bigint - 1) * $3`,
    [accountId, page, limit],
  );
  return { items: rows.map(suppressionOf), total: count?.total ?? 0 };
}

/**
 * Entries of the list, newest first. A page goes on behind an entry, so that one that was added or removed meanwhile
 * moves no other.
 *
 * @param after only those behind the entry with this `place`
 */
export async function listSuppressions(
  database: Queryable,
  accountId: string,
  limit: number,
  after?: string,
): Promise<(Suppression & { readonly place: string })[]> {
  const rows = await database.query<Row & { readonly place: string }>(
    `select ${COLUMNS}, (extract(epoch from created_at) * 1000000)::bigint || '-' || encode(number_hash, 'hex') as place
       from suppression
      where account_id = $1
        and ($3::text is null
             or (created_at, number_hash) < (timestamptz 'epoch' + split_part($3, '-', 1)::bigint * interval '1 us',
                                             decode(split_part($3, '-', 2), 'hex')))
      order by created_at desc, number_hash desc limit $2`,
    [accountId, limit, after ?? null],
  );
  return rows.map(({ place, ...row }) => ({ ...suppressionOf(row), place }));
}

function suppressionOf({ reason, ...row }: Row): Suppression {
  return { ...row, reason: reason ?? undefined };
}
