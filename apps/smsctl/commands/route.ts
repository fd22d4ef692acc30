import { type Command, InvalidArgumentError } from 'commander';
import { formatMicros, type Micros } from '#billing';
import {
  addRoute,
  changeRoute,
  type Database,
  listRoutes,
  OperatorError,
  prefixWord,
  type RouteSettings,
  removeRoute,
  type StoredRoute,
} from '#persistence';
import { amountOrZero, count, currency } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Answer, Session } from '../session.js';
import { testRoute } from '../test-route.js';
import { counted, table } from '../text.js';
import { withNotes } from '../traffic-notes.js';

interface RouteFlags {
  rank?: number;
  weight?: number;
  cost?: Micros;
  currency?: string;
}

export function addRouteCommands(route: Command, session: Session): void {
  const add = addCommand(route, 'add', 'send the numbers of a prefix to a carrier', [
    "route add '*' acme",
    'route add 46 acme --rank 1 --weight 90 --cost 0.0045 --currency EUR',
    'route add 46 backup --rank 2',
  ]);
  withRouteFlags(add)
    .option('--only-this', 'accept that numbers of other prefixes then have no route and are refused')
    .action(
      (
        prefix: string,
        carrier: string,
        { onlyThis, ...flags }: RouteFlags & { onlyThis?: boolean },
        command: Command,
      ) =>
        session.answer(command, (database) => {
          const settings = { prefix, carrier, rank: flags.rank ?? 1, weight: flags.weight ?? 1, cost: costOf(flags) };
          return changedAnswer(database, prefix, () => addRoute(database, settings, onlyThis === true));
        }),
    );

  const set = addCommand(route, 'set', 'change rank, weight or cost of a route', [
    'route set 46 acme --weight 50',
    'route set 46 acme --unset cost',
  ]);
  withRouteFlags(set)
    .option('--unset <flag>', 'takes the cost away', costOnly)
    .action((prefix: string, carrier: string, flags: RouteFlags & { unset?: 'cost' }, command: Command) => {
      const { rank, weight, unset } = flags;
      const cost = unset === undefined ? costOf(flags) : null;
      if (rank === undefined && weight === undefined && cost === undefined)
        command.error('error: nothing to change: give --rank, --weight or --cost');
      return session.answer(command, (database) =>
        changedAnswer(database, prefix, () =>
          changeRoute(database, prefix, carrier, {
            ...(rank !== undefined && { rank }),
            ...(weight !== undefined && { weight }),
            ...(cost !== undefined && { cost }),
          }),
        ),
      );
    });

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
        const { changed, notes } = await withNotes(database, () => removeRoute(database, prefix, carrier));
        return {
          json: { removed: changed, notes },
          text: [`${counted(changed, 'route')} removed.`, ...notes].join('\n'),
        };
      }),
    );

  addCommand(route, 'test', 'say which carriers a number would go to, in order', ['route test +46701234567'])
    .argument('<number>', 'a number as clients send it')
    .action((number: string, _options, command: Command) =>
      session.answer(command, (database) => testRoute(database, number)),
    );
}

function withRouteFlags(command: Command): Command {
  return command
    .argument('<prefix>', 'digits; * for every number that no other route is for', prefixOf)
    .argument('<carrier>', 'its name')
    .option('--rank <n>', '1 is tried first, the next while no carrier before it takes messages (default: 1)', count)
    .option('--weight <n>', 'its share among the carriers of its rank (default: 1)', count)
    .option(
      '--cost <amount>',
      'its price of a segment; counted in the metrics, does not influence the choice',
      amountOrZero,
    )
    .option('--currency <code>', 'the currency of the cost', currency);
}

/** @throws OperatorError when only one of the two is given */
function costOf({ cost, currency: code }: RouteFlags): RouteSettings['cost'] {
  if (cost === undefined && code === undefined) return undefined;
  if (cost === undefined || code === undefined) {
    throw new OperatorError('give --cost and --currency together, or neither');
  }
  return { amount: cost, currency: code };
}

/** The routes of the prefix after a change, and what the change means for messages. */
async function changedAnswer(database: Database, prefix: string, change: () => Promise<void>): Promise<Answer> {
  const { notes } = await withNotes(database, change);
  const { json, text } = routesAnswer((await listRoutes(database)).filter((route) => route.prefix === prefix));
  return { json: { routes: json, notes }, text: notes.length === 0 ? text : `${text}\n\n${notes.join('\n')}` };
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
        prefixWord(route.prefix),
        route.rank,
        route.carrier,
        route.weight,
        route.cost === undefined ? undefined : `${formatMicros(route.cost.amount)} ${route.cost.currency}`,
        carrierWord(route),
      ]),
      'No routes: any carrier takes any message; simulators only where there is no other.',
    ),
  };
}

function carrierWord({ isCarrierPaused, isCarrierRemoved }: StoredRoute): string | undefined {
  return isCarrierRemoved ? 'removed' : isCarrierPaused ? 'paused' : undefined;
}

/** `*` stands for every number, because an empty argument is easily lost. */
function prefixOf(text: string): string {
  if (text === '*' || text === '') return '';
  const digits = text.replace(/^\+/, '');
  if (!/^[1-9][0-9]{0,14}$/.test(digits)) {
    throw new InvalidArgumentError('A prefix has 1 to 15 digits and no leading 0; * is every number.');
  }
  return digits;
}

function costOnly(flag: string): 'cost' {
  if (flag.replace(/^--/, '') !== 'cost') throw new InvalidArgumentError('Only the cost can be taken away.');
  return 'cost';
}
