import type { Queryable } from '../database/database.js';

interface KeyUse {
  readonly keyId: string;
  /** How long ago, so that the clock of the database decides. */
  readonly agoMs: number;
}

/**
 * Stores when keys were used last, in one statement. A later use that another gateway has stored stays. Locks the keys
 * in the order of their ids, so that gateways cannot wait for each other in a circle.
 */
export async function recordKeyUses(database: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await database.query(
    `with use as (
       select key_id, now() - ago_ms * interval '1 millisecond' as at
         from unnest($1::text[], $2::float8[]) as u(key_id, ago_ms)
     ), locked as (
       select key_id from api_key where key_id = any($1::text[]) order by key_id for no key update
     )
     update api_key k set last_used_at = use.at
       from use join locked using (key_id)
      where k.key_id = use.key_id and (k.last_used_at is null or k.last_used_at < use.at)`,
    [uses.map(({ keyId }) => keyId), uses.map(({ agoMs }) => agoMs)],
  );
}
