import type { Micros } from '#billing';
import {
  addRoute,
  changeRoute,
  type Database,
  listRoutes,
  OperatorError,
  removeRoute,
  type StoredRoute,
} from '#persistence';
import { microsOf } from '../wire.js';
import { withNotes } from './routing-notes.js';

/** A route. An empty `prefix` is every number that no other route is for; `*` asks for it. */
export interface RouteAnswer {
  readonly prefix: string;
  readonly carrier: string;
  readonly rank: number;
  readonly weight: number;
  readonly cost: Micros | null;
  readonly currency: string | null;
  readonly carrierState: 'in use' | 'paused' | 'removed';
}

export interface RoutesChanged {
  /** The routes of the prefix as they are now. */
  readonly routes: readonly RouteAnswer[];
  /** What the change means for messages, a sentence each. */
  readonly notes: readonly string[];
}

export interface RoutePlace {
  readonly prefix: string;
  readonly carrier: string;
}

interface Cost {
  readonly cost?: string | undefined;
  readonly currency?: string | undefined;
}

export async function routeList(database: Database): Promise<readonly RouteAnswer[]> {
  return (await listRoutes(database)).map(routeAnswer);
}

export function routeAdd(
  database: Database,
  {
    prefix,
    carrier,
    rank = 1,
    weight = 1,
    onlyThis = false,
    ...cost
  }: RoutePlace & Cost & { rank?: number | undefined; weight?: number | undefined; onlyThis?: boolean | undefined },
): Promise<RoutesChanged> {
  const digits = digitsOf(prefix);
  const settings = { prefix: digits, carrier, rank, weight, cost: costOf(cost) };
  return changed(database, digits, () => addRoute(database, settings, onlyThis));
}

/** A cost of null is taken away. */
export function routeSet(
  database: Database,
  {
    prefix,
    carrier,
    rank,
    weight,
    cost,
    currency,
  }: RoutePlace & {
    readonly rank?: number | undefined;
    readonly weight?: number | undefined;
    readonly cost?: string | null | undefined;
    readonly currency?: string | undefined;
  },
): Promise<RoutesChanged> {
  const digits = digitsOf(prefix);
  const changedCost = cost === null ? null : costOf({ cost, currency });
  return changed(database, digits, () =>
    changeRoute(database, digits, carrier, {
      ...(rank !== undefined && { rank }),
      ...(weight !== undefined && { weight }),
      ...(changedCost !== undefined && { cost: changedCost }),
    }),
  );
}

/** Removes the routes of a prefix, or only the one to a carrier. */
export async function routeRemove(
  database: Database,
  { prefix, carrier }: { readonly prefix: string; readonly carrier?: string | undefined },
): Promise<{ readonly removed: number; readonly notes: readonly string[] }> {
  const { changed: removed, notes } = await withNotes(database, () => removeRoute(database, digitsOf(prefix), carrier));
  return { removed, notes };
}

/** The routes of the prefix after a change, and what the change means for messages. */
async function changed(database: Database, prefix: string, change: () => Promise<void>): Promise<RoutesChanged> {
  const { notes } = await withNotes(database, change);
  const routes = (await listRoutes(database)).filter((route) => route.prefix === prefix).map(routeAnswer);
  return { routes, notes };
}

export function routeAnswer(route: StoredRoute): RouteAnswer {
  return {
    prefix: route.prefix,
    carrier: route.carrier,
    rank: route.rank,
    weight: route.weight,
    cost: route.cost?.amount ?? null,
    currency: route.cost?.currency ?? null,
    carrierState: route.isCarrierRemoved ? 'removed' : route.isCarrierPaused ? 'paused' : 'in use',
  };
}

/** `*` stands for every number, because an empty text is easily lost. */
export function digitsOf(prefix: string): string {
  return prefix === '*' ? '' : prefix.replace(/^\+/, '');
}

/** @throws OperatorError when only one of the two is given */
export function costOf({ cost, currency }: Cost): { amount: Micros; currency: string } | undefined {
  if (cost === undefined && currency === undefined) return undefined;
  if (cost === undefined || currency === undefined) {
    throw new OperatorError('a cost has an amount and a currency: give both, or neither');
  }
  return { amount: microsOf(cost), currency };
}
