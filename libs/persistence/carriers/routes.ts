import { isCurrencyCode, type Micros } from '#billing';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

/** A carrier that may take the numbers that begin with a prefix. */
export interface RouteSettings {
  /** Digits, without a plus sign; empty: every number. */
  readonly prefix: string;
  readonly carrier: string;
  /** 1 to 100; 1 is tried first. */
  readonly rank: number;
  /** 1 to 1000: its share among the carriers of its rank. */
  readonly weight: number;
  /** What it charges for a segment: for metrics, and for the books where it has no costs of its own. */
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
 * Until the transaction ends, nobody else changes routes: a change looks at the other ones. It comes before the lock of
 * a carrier.
 */
export async function lockRoutes(transaction: Queryable): Promise<void> {
  await transaction.query('lock table route in share row exclusive mode');
}

/**
 * Adds a carrier to a prefix.
 *
 * @param leavesOthers whether this may be the first route although it is not for every number: from then on sends to
 * all other numbers are refused
 * @throws OperatorError when a value is not valid, there is no such carrier, it has the prefix already, or other
 * numbers would be left without a route
 */
export async function addRoute(database: Database, route: RouteSettings, leavesOthers: boolean): Promise<void> {
  checkRoute(route);
  await database.transaction(async (transaction) => {
    await lockRoutes(transaction);
    const carrierId = await findRouteCarrier(transaction, route.carrier);
    if (route.prefix !== '' && !leavesOthers) {
      const [any] = await transaction.query('select from route limit 1');
      if (any === undefined) {
        throw new OperatorError(
          `after this only numbers that begin with ${route.prefix} have a route, and sends to all others are refused: ` +
            "add a route for '*' first, or pass --only-this",
        );
      }
    }
    const added = await transaction.query(
      `insert into route (prefix, carrier_id, rank, weight, cost, currency) values ($1, $2, $3, $4, $5, $6)
       on conflict (prefix, carrier_id) do nothing returning prefix`,
      routeValues(route, carrierId),
    );
    if (added.length === 0) {
      throw new OperatorError(
        `${route.carrier} has the route ${prefixWord(route.prefix)} already: \`smsctl route set\` changes it`,
      );
    }
    await announceChange(transaction, 'carriers');
  });
}

/** A missing value changes nothing; a cost of null is removed. */
type RouteChange = Partial<Pick<RouteSettings, 'rank' | 'weight'>> & {
  readonly cost?: RouteSettings['cost'] | null;
};

/** @throws OperatorError when a value is not valid or there is no such route */
export async function changeRoute(
  database: Database,
  prefix: string,
  carrier: string,
  change: RouteChange,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockRoutes(transaction);
    const carrierId = await findRouteCarrier(transaction, carrier);
    const [before] = (await listRoutes(transaction)).filter(
      (route) => route.prefix === prefix && route.carrierId === carrierId,
    );
    if (before === undefined) throw unknownRoute(prefix, carrier);
    const { cost, ...rest } = change;
    const changed = { ...before, ...rest, cost: cost === undefined ? before.cost : (cost ?? undefined) };
    checkRoute(changed);
    await transaction.query(
      'update route set rank = $3, weight = $4, cost = $5, currency = $6 where prefix = $1 and carrier_id = $2',
      routeValues(changed, carrierId),
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
    await lockRoutes(transaction);
    const removed = await transaction.query<{ carrier_id: number }>(
      `delete from route r using carrier c
        where r.prefix = $1 and c.carrier_id = r.carrier_id and ($2::text is null or c.name = $2) returning r.carrier_id`,
      [prefix, carrier ?? null],
    );
    if (removed.length === 0) {
      throw unknownRoute(prefix, carrier);
    }
    await announceChange(transaction, 'carriers');
    return removed.length;
  });
}

/**
 * Prefixes of the price lists in use that have no route: sends to such numbers are refused although they have a price.
 * Empty if there are no routes.
 */
export async function pricedWithoutRoute(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ prefix: string }>(
    `select distinct t.prefix
       from (select distinct a.tariff_id from account a where not a.internal) u
      cross join lateral tariff_rates(u.tariff_id, now()) t
      where exists (select from route)
        and not exists (select from route r where starts_with(t.prefix, r.prefix) or starts_with(r.prefix, t.prefix))
      order by t.prefix`,
  );
  // A prefix that begins with another one of the list adds nothing.
  const prefixes: string[] = [];
  for (const { prefix } of rows) if (!prefixes.some((shorter) => prefix.startsWith(shorter))) prefixes.push(prefix);
  return prefixes;
}

/** As operators write a prefix. */
export function prefixWord(prefix: string): string {
  return prefix === '' ? '*' : prefix;
}

/** The id of a carrier that is there; it stays until the transaction ends. */
export async function findRouteCarrier(transaction: Queryable, name: string): Promise<number> {
  const [carrier] = await transaction.query<{ carrier_id: number }>(
    'select carrier_id from carrier where name = $1 and removed_at is null for share',
    [name],
  );
  if (carrier === undefined) throw new OperatorError(`there is no carrier ${name}`, 'missing');
  return carrier.carrier_id;
}

export function routeValues({ prefix, rank, weight, cost }: RouteSettings, carrierId: number): unknown[] {
  return [prefix, carrierId, rank, weight, cost?.amount ?? null, cost?.currency ?? null];
}

function unknownRoute(prefix: string, carrier: string | undefined): OperatorError {
  const to = carrier === undefined ? '' : ` to ${carrier}`;
  return new OperatorError(`there is no route for ${prefix === '' ? 'every number' : prefix}${to}`, 'missing');
}

/** @throws OperatorError when a value is not valid */
export function checkRoute({ prefix, rank, weight, cost }: RouteSettings): void {
  if (!/^([1-9][0-9]{0,14})?$/.test(prefix)) throw new OperatorError('a prefix has 1 to 15 digits and no leading 0');
  if (!Number.isInteger(rank) || rank < 1 || rank > RANK_MAX) throw new OperatorError(`a rank is 1 to ${RANK_MAX}`);
  if (!Number.isInteger(weight) || weight < 1 || weight > WEIGHT_MAX) {
    throw new OperatorError(`a weight is 1 to ${WEIGHT_MAX}`);
  }
  if (cost === undefined) return;
  if (cost.amount < 0n) throw new OperatorError('a cost is 0 or above');
  if (!isCurrencyCode(cost.currency)) throw new OperatorError(`"${cost.currency}" is not a currency code like EUR`);
}
