import { type Command, InvalidArgumentError } from 'commander';
import { formatMicros, type Micros, parseRecipient } from '#billing';
import {
  carrierState,
  type Database,
  listCarriers,
  listRoutes,
  liveProcesses,
  OperatorError,
  removeRoute,
  type StoredRoute,
  setRoute,
} from '#persistence';
import { amountOrZero, count, currency } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Answer, Session } from '../session.js';
import { counted, table } from '../text.js';

interface AddOptions {
  rank: number;
  weight: number;
  cost?: Micros;
  currency?: string;
}

export function addRouteCommands(route: Command, session: Session): void {
  addCommand(route, 'add', 'give the numbers of a prefix to a carrier, or change how', [
    'route add 46 acme --rank 1 --weight 90 --cost 0.0045 --currency EUR',
    'route add 46 backup --rank 2',
    "route add '*' acme",
  ])
    .argument('<prefix>', 'digits; * for every number that no other route is for', prefixOf)
    .argument('<carrier>', 'its name')
    .option('--rank <n>', '1 is tried first, the next while no carrier before it takes messages', count, 1)
    .option('--weight <n>', 'its share among the carriers of its rank', count, 1)
    .option('--cost <amount>', 'what it takes for a segment; counted in the metrics, decides nothing', amountOrZero)
    .option('--currency <code>', 'the currency of the cost', currency)
    .action((prefix: string, carrier: string, options: AddOptions, command: Command) =>
      session.answer(command, async (database) => {
        const { rank, weight, cost, currency: code } = options;
        if ((cost === undefined) !== (code === undefined)) {
          throw new OperatorError('--cost and --currency are given together or not at all');
        }
        await setRoute(database, {
          prefix,
          carrier,
          rank,
          weight,
          cost: cost === undefined || code === undefined ? undefined : { amount: cost, currency: code },
        });
        return routesAnswer((await listRoutes(database)).filter((each) => each.prefix === prefix));
      }),
    );

  addCommand(route, 'list', 'list the routes', ['route list', 'route list --json']).action(
    (_options, command: Command) =>
      session.answer(command, async (database) => routesAnswer(await listRoutes(database))),
  );

  addCommand(route, 'remove', 'remove the routes of a prefix, or only the one to a carrier', [
    'route remove 46 backup',
    'route remove 46',
  ])
    .argument('<prefix>', 'digits, or *', prefixOf)
    .argument('[carrier]', 'its name')
    .action((prefix: string, carrier: string | undefined, _options, command: Command) =>
      session.answer(command, async (database) => {
        const removed = await removeRoute(database, prefix, carrier);
        return { json: { removed }, text: `${counted(removed, 'route')} removed.` };
      }),
    );

  addCommand(route, 'test', 'say which carriers a number would go to, in order', ['route test +46701234567'])
    .argument('<number>', 'a number as clients send it')
    .action((number: string, _options, command: Command) =>
      session.answer(command, async (database) => testAnswer(database, number)),
    );
}

async function testAnswer(database: Database, number: string): Promise<Answer> {
  const destination = parseRecipient(number);
  if (destination === undefined) throw new OperatorError(`"${number}" is not a number that a message can go to`);
  const { inOrder, RouteTable, takesMessages } = await import('#carrier');
  const workers = await liveProcesses(database, 'worker');
  const carriers = new Map((await listCarriers(database)).map((carrier) => [carrier.carrierId, carrier]));
  const stateOf = (carrierId: number) => {
    const carrier = carriers.get(carrierId);
    return carrier === undefined ? 'removed' : carrierState(carrier, workers).state;
  };
  const readinessOf = (carrierId: number) => {
    const state = stateOf(carrierId);
    return state === 'bound' ? 'up' : state === 'unused' ? 'down' : state;
  };
  const routes = await listRoutes(database);
  const routing = new RouteTable(routes);
  const found = routing.isEmpty
    ? { prefix: '', targets: [...carriers.keys()].map((carrierId) => ({ carrierId, rank: 1, weight: 1 })) }
    : routing.find(destination);
  if (found === undefined) {
    return {
      json: { destination, prefix: null, carriers: [] },
      text: `No route is for ${destination}: messages to it fail with NO_ROUTE and cost nothing.`,
      isFailure: true,
    };
  }
  // Without chance: the heaviest of a rank stands first.
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
    ? 'There are no routes: any carrier takes it.'
    : `The route ${found.prefix === '' ? '* (every number)' : found.prefix} decides for ${destination}.`;
  const verdict =
    first === undefined
      ? 'It has no carrier: messages wait.'
      : isTaken
        ? `The carriers of rank ${first.rank} that take messages get it, by their share; then the others in this order.`
        : `None takes messages now: they wait for ${first.carrier}.`;
  return {
    json: { destination, prefix: routing.isEmpty ? null : found.prefix, carriers: rows },
    text: `${rule} ${verdict}\n\n${table(
      ['carrier', '>rank', '>weight', '>share', 'state'],
      rows.map((row) => [row.carrier, row.rank, row.weight, `${row.sharePercent} %`, row.state]),
      'No carriers.',
    )}`,
  };
}

function routesAnswer(routes: readonly StoredRoute[]): Answer {
  return {
    json: routes.map((route) => ({
      prefix: route.prefix,
      carrier: route.carrier,
      rank: route.rank,
      weight: route.weight,
      cost: route.cost === undefined ? null : formatMicros(route.cost.amount),
      currency: route.cost?.currency ?? null,
      carrierState: carrierWord(route) ?? 'in use',
    })),
    text: table(
      ['prefix', '>rank', 'carrier', '>weight', '>cost', 'note'],
      routes.map((route) => [
        route.prefix === '' ? '*' : route.prefix,
        route.rank,
        route.carrier,
        route.weight,
        route.cost === undefined ? undefined : `${formatMicros(route.cost.amount)} ${route.cost.currency}`,
        carrierWord(route),
      ]),
      'No routes: any carrier takes any message.',
    ),
  };
}

function carrierWord({ isCarrierPaused, isCarrierRemoved }: StoredRoute): string | undefined {
  return isCarrierRemoved ? 'removed' : isCarrierPaused ? 'paused' : undefined;
}

/** Every number is written `*`, because an empty argument is easily lost. */
function prefixOf(text: string): string {
  if (text === '*' || text === '') return '';
  const digits = text.replace(/^\+/, '');
  if (!/^[1-9][0-9]{0,14}$/.test(digits)) {
    throw new InvalidArgumentError('A prefix has 1 to 15 digits and no leading 0; * is every number.');
  }
  return digits;
}
