import type { Queryable } from '../../libs/persistence/database/database.js';

export interface HeldBind {
  readonly carrierId: number;
  readonly slot: number;
  readonly owner: string;
  readonly epoch: number;
}

/** Every shared bind that is leased now, as the table says. */
export function heldBinds(database: Queryable): Promise<HeldBind[]> {
  return database.query<HeldBind>(
    `select carrier_id as "carrierId", slot, owner, epoch from carrier_bind
      where owner is not null and lease_until > clock_timestamp() order by carrier_id, slot`,
  );
}
