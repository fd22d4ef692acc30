import type { Database } from '../database/database.js';

interface KeyUse {
  readonly keyId: string;
  /** How long ago, so that the clock of the database decides. */
  readonly agoMs: number;
}

/**
 * Stores when keys were used last. A later use that another gateway has stored stays. Locks the keys in the order of
 * their ids, so that gateways cannot wait for each other in a circle; in a statement of its own, because to update an
 * older version of a row than the one that is locked is to wait for others, who wait for that lock.
 */
export async function recordKeyUses(database: Database, uses: readonly KeyUse[]): Promise<void> {
  const keyIds = uses.map(({ keyId }) => keyId);
  await database.transaction(async (transaction) => {
    await transaction.query('select from api_key where key_id = any($1::text[]) order by key_id for no key update', [
      keyIds,
    ]);
    await transaction.query(
      `update api_key k set last_used_at = use.at
         from (select key_id, now() - ago_ms * interval '1 millisecond' as at
                 from unnest($1::text[], $2::float8[]) as u(key_id, ago_ms)) use
        where k.key_id = use.key_id and (k.last_used_at is null or k.last_used_at < use.at)`,
      [keyIds, uses.map(({ agoMs }) => agoMs)],
    );
  });
}
