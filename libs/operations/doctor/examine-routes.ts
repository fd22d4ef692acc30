import {
  countUnroutable,
  type Database,
  listCarriers,
  listRoutes,
  prefixWord,
  pricedWithoutRoute,
  queuedByRoute,
  type StoredCarrier,
  type StoredRoute,
} from '#persistence';
import { counted, listed } from '../words.js';
import type { Finding } from './finding.js';

/** Nothing to report if there are no routes and no simulators. */
export async function examineRoutes(database: Database): Promise<Finding[]> {
  const routes = await listRoutes(database);
  const carriers = await listCarriers(database);
  return [
    ...examineSimulators(carriers, routes),
    ...(routes.length === 0 ? [] : [examinePrefixes(routes, await queuedByRoute(database))]),
    ...(routes.length === 0 ? [] : [await examineUnroutable(database), await examinePrices(database)]),
  ];
}

/** A simulator must not take messages that a real carrier could take: they would reach nobody, and be charged. */
function examineSimulators(carriers: readonly StoredCarrier[], routes: readonly StoredRoute[]): Finding[] {
  const simulators = carriers.filter(({ simulator }) => simulator);
  if (simulators.length === 0) return [];
  if (simulators.length === carriers.length) {
    return [{ check: 'simulators', state: 'ok', detail: 'every carrier is one: messages reach nobody' }];
  }
  const isSimulated = (route: StoredRoute) => simulators.some(({ carrierId }) => carrierId === route.carrierId);
  const simulated = routes.filter(isSimulated);
  const mixed = simulated.filter(({ prefix }) =>
    routes.some((route) => route.prefix === prefix && !route.isCarrierRemoved && !isSimulated(route)),
  );
  const words = (some: readonly StoredRoute[]) =>
    listed(some.map(({ prefix, carrier }) => `${prefixWord(prefix)} to ${carrier}`));
  const names = listed(simulators.map(({ name }) => name));
  const detail =
    mixed.length > 0
      ? `a simulator and a real carrier could take the same number: ${words(mixed)}; \`smsctl route remove\``
      : simulated.length > 0
        ? `messages of these routes reach nobody: ${words(simulated)}`
        : `${names} takes nothing beside the real carriers; \`smsctl carrier remove ${simulators[0]?.name}\``;
  return [{ check: 'simulators', state: mixed.length > 0 ? 'fail' : 'warn', detail }];
}

function examinePrefixes(routes: readonly StoredRoute[], queued: ReadonlyMap<string, number>): Finding {
  const prefixes = [...new Set(routes.map(({ prefix }) => prefix))];
  const findings = prefixes.flatMap((prefix) =>
    examinePrefix(
      prefix,
      routes.filter((route) => route.prefix === prefix),
      queued.get(prefix) ?? 0,
    ),
  );
  return {
    check: 'routes',
    state: findings.some(({ isFailure }) => isFailure) ? 'fail' : findings.length > 0 ? 'warn' : 'ok',
    detail:
      findings.length > 0
        ? findings.map(({ words }) => words).join('; ')
        : `${counted(routes.length, 'route')} for ${counted(prefixes.length, 'prefix', 'prefixes')}`,
  };
}

function examinePrefix(
  prefix: string,
  routes: readonly StoredRoute[],
  queued: number,
): { readonly words: string; readonly isFailure: boolean }[] {
  const removed = routes.filter(({ isCarrierRemoved }) => isCarrierRemoved);
  const paused = routes.filter(({ isCarrierRemoved, isCarrierPaused }) => !isCarrierRemoved && isCarrierPaused);
  const name = prefixWord(prefix);
  const names = (some: readonly StoredRoute[]) => listed(some.map(({ carrier }) => carrier));
  const waiting = queued === 0 ? 'nothing waits' : queued === 1 ? '1 message waits' : `${queued} messages wait`;
  if (removed.length === routes.length) {
    return [
      {
        words: `${name} has no carrier left (${names(removed)} removed): sends are refused, ${waiting}`,
        isFailure: true,
      },
    ];
  }
  if (removed.length + paused.length === routes.length) {
    return [
      {
        words: `${name} has no carrier that takes messages (${names(paused)} paused): ${waiting}`,
        isFailure: queued > 0,
      },
    ];
  }
  return [
    ...paused.map(({ carrier }) => ({ words: `${name} to ${carrier} (paused)`, isFailure: false })),
    ...removed.map(({ carrier }) => ({ words: `${name} to ${carrier} (removed)`, isFailure: false })),
  ];
}

async function examineUnroutable(database: Database): Promise<Finding> {
  const unroutable = await countUnroutable(database);
  return {
    check: 'unroutable messages',
    state: unroutable > 0 ? 'warn' : 'ok',
    detail: unroutable > 0 ? `${unroutable} queued that no route is for; they fail with NO_ROUTE` : 'none',
  };
}

async function examinePrices(database: Database): Promise<Finding> {
  const prefixes = await pricedWithoutRoute(database);
  return {
    check: 'prices without a route',
    state: prefixes.length > 0 ? 'warn' : 'ok',
    detail: prefixes.length > 0 ? `${listed(prefixes)}: sends to them are refused (no_route)` : 'none',
  };
}
