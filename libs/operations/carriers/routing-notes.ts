import {
  countUnroutable,
  type Database,
  listCarriers,
  listRoutes,
  prefixWord,
  type StoredCarrier,
  type StoredRoute,
} from '#persistence';
import { counted, listed } from '../words.js';

/** Carriers and routes at one moment. */
export interface CarriersAndRoutes {
  readonly carriers: readonly StoredCarrier[];
  readonly routes: readonly StoredRoute[];
}

export async function readRouting(database: Database): Promise<CarriersAndRoutes> {
  return { carriers: await listCarriers(database), routes: await listRoutes(database) };
}

/** Runs a change of carriers or routes. Returns its result, and what it means for messages, a sentence each. */
export async function withNotes<Changed>(
  database: Database,
  change: () => Promise<Changed>,
): Promise<{ readonly changed: Changed; readonly notes: readonly string[] }> {
  const before = await readRouting(database);
  const changed = await change();
  const after = await readRouting(database);
  const unroutable = await countUnroutable(database);
  return {
    changed,
    notes: [
      ...effects(before, after),
      ...(unroutable > 0
        ? [`${counted(unroutable, 'queued message')} without a route: they fail with NO_ROUTE and are refunded.`]
        : []),
    ],
  };
}

/** What a change of carriers and routes means for messages; empty if no message is affected. */
export function effects(before: CarriersAndRoutes, after: CarriersAndRoutes): string[] {
  const wereRoutes = before.routes.length > 0;
  const areRoutes = after.routes.length > 0;
  if (!areRoutes)
    return wereRoutes ? [`No routes are left. ${anyCarrierTakes(after)}`] : takenWithoutRoutes(before, after);
  return [
    ...(wereRoutes ? lostPrefixes(before, after) : firstRoutes(after)),
    ...silencedPrefixes(before, after),
    ...simulatedPrefixes(before, after),
  ];
}

/** Carriers that take messages if there are no routes. */
function takers({ carriers }: CarriersAndRoutes): StoredCarrier[] {
  const real = carriers.filter(({ simulator }) => !simulator);
  return (real.length > 0 ? real : carriers).filter(({ paused }) => !paused);
}

function takenWithoutRoutes(before: CarriersAndRoutes, after: CarriersAndRoutes): string[] {
  const names = (moment: CarriersAndRoutes) => takers(moment).map(({ name }) => name);
  const [had, have] = [names(before), names(after)];
  return had.join() === have.join() ? [] : [anyCarrierTakes(after)];
}

function anyCarrierTakes(moment: CarriersAndRoutes): string {
  const all = takers(moment);
  const names = all.map(({ name }) => name);
  const [first] = names;
  if (first === undefined) return 'No carrier takes messages now: they are accepted and wait.';
  const words = names.length === 1 ? `${first} takes every message` : `${listed(names)} share all messages`;
  const areLost = all.every(({ simulator }) => simulator);
  const lost = areLost ? ' Attention: there is no real carrier, so messages reach nobody, and are charged.' : '';
  return `Since there are no routes, ${words} from now on.${lost}`;
}

/** With the first route, numbers without a route have no carrier any more. */
function firstRoutes({ carriers, routes }: CarriersAndRoutes): string[] {
  const named = new Set(routes.map(({ carrierId }) => carrierId));
  const idle = carriers.filter(({ carrierId, simulator }) => !simulator && !named.has(carrierId));
  return [
    ...(routes.some(({ prefix }) => prefix === '')
      ? []
      : [`${onlyThese(routes)} Sends to all others are refused (no_route).`]),
    ...(idle.length > 0 ? [`No route names ${listed(idle.map(({ name }) => name))}: no messages go there.`] : []),
  ];
}

function onlyThese(routes: readonly StoredRoute[]): string {
  const prefixes = [...new Set(routes.map(({ prefix }) => prefix))];
  return `Only numbers that begin with ${listed(prefixes, 'or')} have a route.`;
}

/** Prefixes whose route was removed, with the route that now decides for their numbers. */
function lostPrefixes(before: CarriersAndRoutes, after: CarriersAndRoutes): string[] {
  const left = [...new Set(after.routes.map(({ prefix }) => prefix))];
  const lost = [...new Set(before.routes.map(({ prefix }) => prefix))].filter((prefix) => !left.includes(prefix));
  return lost.map((prefix) => {
    const [instead] = left.filter((other) => prefix.startsWith(other)).sort((a, b) => b.length - a.length);
    if (instead !== undefined) {
      const names = namesOf(after.routes.filter((route) => route.prefix === instead));
      return `${numbersOf(prefix)} go by the route ${prefixWord(instead)} now (${listed(names)}).`;
    }
    if (prefix === '') return `${onlyThese(after.routes)} Sends to all others are refused (no_route) from now on.`;
    return `Sends to ${numbersOf(prefix, false)} are refused (no_route) from now on.`;
  });
}

/** Prefixes that had a carrier that takes messages, and now have none. */
function silencedPrefixes(before: CarriersAndRoutes, after: CarriersAndRoutes): string[] {
  const silent = silentPrefixes(after).filter(
    (prefix) => before.routes.some((route) => route.prefix === prefix) && !silentPrefixes(before).includes(prefix),
  );
  if (silent.length === 0) return [];
  return [
    `No carrier of ${listed(silent.map(prefixWord))} takes messages now: messages by ${silent.length === 1 ? 'this route' : 'these routes'} are accepted and wait.`,
  ];
}

/** Prefixes of which every carrier is paused or removed. */
function silentPrefixes({ routes }: CarriersAndRoutes): string[] {
  const prefixes = [...new Set(routes.map(({ prefix }) => prefix))];
  return prefixes.filter((prefix) =>
    routes.filter((route) => route.prefix === prefix).every((route) => route.isCarrierPaused || route.isCarrierRemoved),
  );
}

/** A new route that sends messages of real numbers to a simulator is reported, although the operator asked for it. */
function simulatedPrefixes(before: CarriersAndRoutes, after: CarriersAndRoutes): string[] {
  const simulators = new Set(after.carriers.filter(({ simulator }) => simulator).map(({ carrierId }) => carrierId));
  if (simulators.size === after.carriers.length) return [];
  const known = new Set(before.routes.map(({ prefix, carrierId }) => `${prefix}/${carrierId}`));
  return after.routes
    .filter(({ prefix, carrierId }) => simulators.has(carrierId) && !known.has(`${prefix}/${carrierId}`))
    .map(
      ({ prefix, carrier }) =>
        `${carrier} is a simulator: its messages to ${numbersOf(prefix, false)} reach nobody, and are charged.`,
    );
}

/** A sentence: which messages a carrier takes from now on, after an operator has added or resumed it. */
export function takesFromNowOn(carrier: StoredCarrier, { carriers, routes }: CarriersAndRoutes): string {
  const { name, simulator, paused, carrierId } = carrier;
  if (paused) {
    return `It is paused and takes nothing. Try it with \`smsctl carrier test ${name} NUMBER\`, then \`smsctl carrier resume ${name}\`.`;
  }
  const prefixes = routes.filter((route) => route.carrierId === carrierId).map(({ prefix }) => prefixWord(prefix));
  if (prefixes.length > 0)
    return `It takes messages of ${prefixes.length === 1 ? 'the route' : 'the routes'} ${listed(prefixes)} from now on.`;
  if (routes.length > 0) return 'No route names it, so it takes nothing until `smsctl route add` does.';
  if (simulator && carriers.some((other) => !other.simulator)) {
    return 'It is a simulator: beside real carriers it takes only messages of routes that name it.';
  }
  const others = takers({ carriers, routes }).filter((other) => other.carrierId !== carrierId);
  const simulators = carriers.filter((other) => other.simulator && !simulator).map((other) => other.name);
  const aside = simulators.length === 0 ? '' : ` The simulator ${listed(simulators)} takes nothing beside it.`;
  return others.length === 0
    ? `Attention: it takes every message from now on, since there are no routes.${aside}`
    : `Attention: it takes a share of every message from now on, beside ${listed(others.map((other) => other.name))}, since there are no routes.`;
}

function numbersOf(prefix: string, isFirst = true): string {
  const words = prefix === '' ? 'all numbers without another route' : `numbers that begin with ${prefix}`;
  return isFirst ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words;
}

function namesOf(routes: readonly StoredRoute[]): string[] {
  return routes.map(({ carrier }) => carrier);
}
