import { parseRecipient } from '#billing';
import { carrierState, type Database, listCarriers, listRoutes, liveProcesses, OperatorError } from '#persistence';
import { listed } from '../words.js';

export interface ChosenCarrier {
  readonly carrier: string;
  readonly rank: number;
  readonly weight: number;
  readonly sharePercent: number;
  readonly state: string;
}

/** The carriers that a number would go to. */
export interface CarrierChoice {
  readonly destination: string;
  /** Of the route that decides; empty: every number; null: there is no route for it, or there are no routes. */
  readonly prefix: string | null;
  /** Sends to it are not refused. */
  readonly isRouted: boolean;
  /** In words. */
  readonly summary: string;
  /** In the order in which they are tried. */
  readonly carriers: readonly ChosenCarrier[];
}

/**
 * Says which carriers a number would go to, by the rules of gateway and worker.
 *
 * @throws OperatorError when it is no number
 */
export async function routeTest(database: Database, { number }: { readonly number: string }): Promise<CarrierChoice> {
  const destination = parseRecipient(number);
  if (destination === undefined) throw new OperatorError(`"${number}" is not a number that a message can go to`);
  const { excludedSimulators, inOrder, RouteTable, takesMessages } = await import('#carrier');
  const workers = await liveProcesses(database, 'worker');
  const stored = await listCarriers(database);
  const routes = await listRoutes(database);
  const routing = new RouteTable(routes);
  const excluded = excludedSimulators(stored, routing);
  const carriers = new Map(stored.map((carrier) => [carrier.carrierId, carrier]));
  const stateOf = (carrierId: number) => {
    const carrier = carriers.get(carrierId);
    return carrier === undefined ? 'removed' : carrierState(carrier, workers).state;
  };
  const readinessOf = (carrierId: number) => {
    const state = stateOf(carrierId);
    return state === 'bound' ? 'up' : state === 'unused' ? 'down' : state;
  };
  const candidates = [...carriers.keys()].filter((carrierId) => !excluded.has(carrierId));
  const found = routing.isEmpty
    ? { prefix: '', targets: candidates.map((carrierId) => ({ carrierId, rank: 1, weight: 1 })) }
    : routing.find(destination);
  const isDeserted =
    found !== undefined && !routing.isEmpty && found.targets.every((each) => !carriers.has(each.carrierId));
  if (found === undefined || isDeserted) {
    const reason =
      found === undefined
        ? `No route is for ${destination}`
        : `The route ${nameOf(found.prefix)} decides for ${destination}, and all its carriers have been removed`;
    return {
      destination,
      prefix: found?.prefix ?? null,
      isRouted: false,
      summary: `${reason}: sends to it are refused (no_route).`,
      carriers: [],
    };
  }
  // Without the random part: within a rank, the carrier with the largest weight comes first.
  const order = inOrder(found.targets, readinessOf, () => 0.5);
  const rows = order.map(({ carrierId, rank, weight }) => {
    const peers = found.targets.filter(
      (other) =>
        other.rank === rank && takesMessages(readinessOf(other.carrierId)) === takesMessages(readinessOf(carrierId)),
    );
    const share = weight / peers.reduce((sum, peer) => sum + peer.weight, 0);
    const name = carriers.get(carrierId)?.name ?? routes.find((each) => each.carrierId === carrierId)?.carrier ?? '';
    return { carrier: name, rank, weight, sharePercent: Math.round(share * 100), state: stateOf(carrierId) };
  });
  const first = rows[0];
  const isTaken = order[0] !== undefined && takesMessages(readinessOf(order[0].carrierId));
  const rule = routing.isEmpty
    ? `There are no routes: any carrier takes it${exception([...excluded].map((id) => carriers.get(id)?.name ?? ''))}.`
    : `The route ${nameOf(found.prefix)} decides for ${destination}.`;
  const verdict =
    first === undefined
      ? 'There is none: messages wait.'
      : isTaken
        ? `The carriers of rank ${first.rank} that take messages get it, by their share; then the others in this order.`
        : `None takes messages now: they wait for ${first.carrier}.`;
  return {
    destination,
    prefix: routing.isEmpty ? null : found.prefix,
    isRouted: true,
    summary: `${rule} ${verdict}`,
    carriers: rows,
  };
}

function exception(simulators: readonly string[]): string {
  if (simulators.length === 0) return '';
  return simulators.length === 1
    ? `, but not the simulator ${simulators[0]}`
    : `, but not the simulators ${listed(simulators)}`;
}

function nameOf(prefix: string): string {
  return prefix === '' ? '* (every number)' : prefix;
}
