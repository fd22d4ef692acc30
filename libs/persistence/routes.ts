import { isCurrencyCode, type Micros } from '#billing';
import { announceChange } from './changes.js';
import type { Database, Queryable } from './database.js';
import { OperatorError } from './operator-error.js';

/** A carrier that may take the numbers that begin with a prefix. */
export interface RouteSettings {
  /** Digits, without a plus sign; empty: every number. */
  readonly prefix: string;
  readonly carrier: string;
  /** 1 to 100; 1 is tried first. */
  readonly rank: number;
  /** 1 to 1000: its share among the carriers of its rank. */
  readonly weight: number;
  /** What the carrier takes for a segment; counted in the metrics, it decides nothing. */
  readonly cost: { readonly amount: Micros; readonly currency: string } | undefined;
}

export interface StoredRoute extends RouteSettings {
  readonly carrierId: number;
  readonly isCarrierPaused: boolean;
  /** Messages of its prefix wait for another route. */
  readonly isCarrierRemoved: boolean;
}

interface RouteRow {
  prefix: string;
  carrier_id: number;
  carrier: string;
  rank: number;
  weight: number;
  cost: string | null;
  currency: string | null;
  paused: boolean;
  is_removed: boolean;
}

const RANK_MAX = 100;
const WEIGHT_MAX = 1_000;

/** Every route, by prefix and rank. */
export async function listRoutes(database: Queryable): Promise<StoredRoute[]> {
  const rows = await database.query<RouteRow>(
    `select r.prefix, r.carrier_id, c.name as carrier, r.rank, r.weight, r.cost, r.currency, c.paused,
            c.removed_at is not null as is_removed
       from route r join carrier c using (carrier_id)
      order by r.prefix, r.rank, c.name`,
  );
  return rows.map((row) => ({
    prefix: row.prefix,
    carrierId: row.carrier_id,
    carrier: row.carrier,
    rank: row.rank,
    weight: row.weight,
    cost: row.cost === null || row.currency === null ? undefined : { amount: BigInt(row.cost), currency: row.currency },
    isCarrierPaused: row.paused,
    isCarrierRemoved: row.is_removed,
  }));
}

/**
 * Adds a carrier to a prefix, or changes its rank, weight and cost there.
 *
 * @throws OperatorError when a value is not valid or there is no such carrier
 */
export async function setRoute(database: Database, route: RouteSettings): Promise<void> {
  checkRoute(route);
  await database.transaction(async (transaction) => {
    const [carrier] = await transaction.query<{ carrier_id: number }>(
      'select carrier_id from carrier where name = $1 and removed_at is null for share',
      [route.carrier],
    );
    if (carrier === undefined) throw new OperatorError(`there is no carrier ${route.carrier}`);
    await transaction.query(
      `insert into route (prefix, carrier_id, rank, weight, cost, currency) values ($1, $2, $3, $4, $5, $6)
       on conflict (prefix, carrier_id) do update
          set rank = excluded.rank, weight = excluded.weight, cost = excluded.cost, currency = excluded.currency`,
      [
        route.prefix,
        carrier.carrier_id,
        route.rank,
        route.weight,
        route.cost?.amount ?? null,
        route.cost?.currency ?? null,
      ],
    );
    await announceChange(transaction, 'carriers');
  });
}

/**
 * Removes the routes of a prefix, or only the one to a carrier; returns how many.
 *
 * @throws OperatorError when there is none
 */
export function removeRoute(database: Database, prefix: string, carrier: string | undefined): Promise<number> {
  return database.transaction(async (transaction) => {
    const removed = await transaction.query<{ carrier_id: number }>(
      `delete from route r using carrier c
        where r.prefix = $1 and c.carrier_id = r.carrier_id and ($2::text is null or c.name = $2) returning r.carrier_id`,
      [prefix, carrier ?? null],
    );
    if (removed.length === 0) {
      const to = carrier === undefined ? '' : ` to ${carrier}`;
      throw new OperatorError(`there is no route for ${prefix === '' ? 'every number' : prefix}${to}`);
    }
    await announceChange(transaction, 'carriers');
    return removed.length;
  });
}

function checkRoute({ prefix, rank, weight, cost }: RouteSettings): void {
  if (!/^([1-9][0-9]{0,14})?$/.test(prefix)) throw new OperatorError('a prefix has 1 to 15 digits and no leading 0');
  if (!Number.isInteger(rank) || rank < 1 || rank > RANK_MAX) throw new OperatorError(`a rank is 1 to ${RANK_MAX}`);
  if (!Number.isInteger(weight) || weight < 1 || weight > WEIGHT_MAX) {
    throw new OperatorError(`a weight is 1 to ${WEIGHT_MAX}`);
  }
  if (cost === undefined) return;
  if (cost.amount < 0n) throw new OperatorError('a cost is 0 or above');
  if (!isCurrencyCode(cost.currency)) throw new OperatorError(`"${cost.currency}" is not a currency code like EUR`);
}
