import { type Database, listCarriers, type RouteSettings, replaceRoutes, type StoredRoute } from '#persistence';
import { costOf, digitsOf, type RouteAnswer, type RoutePlace, routeAnswer } from './routes.js';
import { effects } from './routing-notes.js';

export interface WantedRoutes {
  readonly routes: readonly (RoutePlace & {
    readonly rank?: number | undefined;
    readonly weight?: number | undefined;
    readonly cost?: string | undefined;
    readonly currency?: string | undefined;
  })[];
}

interface Replacement extends WantedRoutes {
  /** Of a preview: if others have changed the routes since, nothing is replaced. */
  readonly revision?: string | undefined;
}

/** What a replacement of all routes means. */
export interface RoutesReplaced {
  readonly routes: readonly RouteAnswer[];
  /** A sentence each. */
  readonly notes: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Prefixes of the price lists in use that are left without a route. */
  readonly pricedWithoutRoute: readonly string[];
  /** Of the routes before. */
  readonly revision: string;
}

/** Replaces all routes in one transaction. */
export function routeReplace(database: Database, { routes, revision }: Replacement): Promise<RoutesReplaced> {
  return replace(database, routes.map(settingsOf), { isPreview: false, revision });
}

/** The same, rolled back: nothing is changed. */
export function routePreview(database: Database, { routes }: WantedRoutes): Promise<RoutesReplaced> {
  return replace(database, routes.map(settingsOf), { isPreview: true });
}

async function replace(
  database: Database,
  wanted: readonly RouteSettings[],
  how: Parameters<typeof replaceRoutes>[2],
): Promise<RoutesReplaced> {
  const carriers = await listCarriers(database);
  const { before, after, pricedWithoutRoute, revision } = await replaceRoutes(database, wanted, how);
  const old = new Map(before.map((route) => [placeOf(route), valuesOf(route)]));
  const kept = after.filter((route) => old.has(placeOf(route)));
  return {
    routes: after.map(routeAnswer),
    notes: effects({ carriers, routes: before }, { carriers, routes: after }),
    added: after.length - kept.length,
    removed: before.length - kept.length,
    changed: kept.filter((route) => old.get(placeOf(route)) !== valuesOf(route)).length,
    pricedWithoutRoute,
    revision,
  };
}

function settingsOf({ prefix, carrier, rank = 1, weight = 1, ...cost }: WantedRoutes['routes'][number]): RouteSettings {
  return { prefix: digitsOf(prefix), carrier, rank, weight, cost: costOf(cost) };
}

function placeOf({ prefix, carrierId }: StoredRoute): string {
  return `${prefix}/${carrierId}`;
}

function valuesOf({ rank, weight, cost }: StoredRoute): string {
  return [rank, weight, cost?.amount, cost?.currency].join();
}
