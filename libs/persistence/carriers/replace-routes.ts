import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { requireRevision, revisionOf } from '../operators/revision.js';
import {
  checkRoute,
  findRouteCarrier,
  listRoutes,
  lockRoutes,
  prefixWord,
  pricedWithoutRoute,
  type RouteSettings,
  routeValues,
  type StoredRoute,
} from './routes.js';

/** All routes before and after a replacement. */
export interface ReplacedRoutes {
  readonly before: readonly StoredRoute[];
  readonly after: readonly StoredRoute[];
  /** Of the routes before. */
  readonly revision: string;
  /** Prefixes of the price lists in use that have no route afterwards. */
  readonly pricedWithoutRoute: readonly string[];
}

/** Ends the transaction of a preview without its changes. */
class PreviewEnded extends Error {
  constructor(readonly replaced: ReplacedRoutes) {
    super();
  }
}

/**
 * Replaces all routes in one transaction; routes that stay as they are are not touched.
 *
 * @param how `isPreview`: whether only to say what it would mean; `revision`: of a preview, if nobody may have changed
 * the routes since
 * @throws OperatorError when a value is not valid, a carrier is not there, a route is given twice, or somebody has
 * changed the routes; nothing has changed
 */
export async function replaceRoutes(
  database: Database,
  wanted: readonly RouteSettings[],
  { isPreview, revision }: { readonly isPreview: boolean; readonly revision?: string | undefined },
): Promise<ReplacedRoutes> {
  try {
    return await database.transaction(async (transaction) => {
      const replaced = await replaceAll(transaction, wanted, revision);
      if (isPreview) throw new PreviewEnded(replaced);
      await announceChange(transaction, 'carriers');
      return replaced;
    });
  } catch (error) {
    if (error instanceof PreviewEnded) return error.replaced;
    throw error;
  }
}

async function replaceAll(
  transaction: Queryable,
  wanted: readonly RouteSettings[],
  wantedRevision: string | undefined,
): Promise<ReplacedRoutes> {
  await lockRoutes(transaction);
  const before = await listRoutes(transaction);
  const revision = revisionOf(
    before.map(({ prefix, carrierId, rank, weight, cost }) => [
      prefix,
      carrierId,
      rank,
      weight,
      cost?.amount,
      cost?.currency,
    ]),
  );
  requireRevision(wantedRevision, revision);
  const left = new Map(before.map((route) => [placeOf(route.prefix, route.carrierId), route]));
  const taken = new Set<string>();
  for (const route of wanted) {
    checkRoute(route);
    const carrierId = await findRouteCarrier(transaction, route.carrier);
    const place = placeOf(route.prefix, carrierId);
    if (taken.has(place)) {
      throw new OperatorError(`the route ${prefixWord(route.prefix)} to ${route.carrier} is given twice`);
    }
    taken.add(place);
    left.delete(place);
    await transaction.query(
      `insert into route as r (prefix, carrier_id, rank, weight, cost, currency) values ($1, $2, $3, $4, $5, $6)
       on conflict (prefix, carrier_id) do update
          set rank = excluded.rank, weight = excluded.weight, cost = excluded.cost, currency = excluded.currency
        where (r.rank, r.weight, r.cost, r.currency)
              is distinct from (excluded.rank, excluded.weight, excluded.cost, excluded.currency)`,
      routeValues(route, carrierId),
    );
  }
  for (const { prefix, carrierId } of left.values()) {
    await transaction.query('delete from route where prefix = $1 and carrier_id = $2', [prefix, carrierId]);
  }
  return {
    before,
    after: await listRoutes(transaction),
    revision,
    pricedWithoutRoute: await pricedWithoutRoute(transaction),
  };
}

function placeOf(prefix: string, carrierId: number): string {
  return `${prefix}/${carrierId}`;
}
