import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '#operations';
import { OperatorError, prefixWord } from '#persistence';
import { amountOrZero, count, currency } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

interface RouteFlags {
  rank?: number;
  weight?: number;
  cost?: string;
  currency?: string;
}

export function addRouteCommands(route: Command, session: Session): void {
  const add = addCommand(route, 'add', 'send the numbers of a prefix to a carrier', [
    "route add '*' acme",
    'route add 46 acme --rank 1 --weight 90 --cost 0.0045 --currency EUR',
    'route add 46 backup --rank 2',
  ]);
  withRouteFlags(add, true)
    .option('--only-this', 'accept that numbers of other prefixes then have no route and are refused')
    .action((prefix: string, carrier: string, flags: RouteFlags & { onlyThis?: boolean }, command: Command) => {
      const { rank, weight, onlyThis } = flags;
      return session.show(
        command,
        'route.add',
        { prefix, carrier, rank, weight, onlyThis, ...costOf(flags) },
        changedText,
      );
    });

  const set = addCommand(route, 'set', 'change rank, weight or cost of a route; what is not given stays', [
    'route set 46 acme --weight 50',
    'route set 46 acme --unset cost',
  ]);
  withRouteFlags(set, false)
    .option('--unset <flag>', 'cost: removes the cost of the route', costOnly)
    .action((prefix: string, carrier: string, flags: RouteFlags & { unset?: 'cost' }, command: Command) => {
      const { rank, weight, unset } = flags;
      if (unset !== undefined && (flags.cost ?? flags.currency) !== undefined)
        wrongUsage(command, '--unset cost removes the cost that --cost sets: give one of them');
      const cost = unset === undefined ? costOf(flags) : { cost: null };
      if (rank === undefined && weight === undefined && cost.cost === undefined)
        wrongUsage(command, 'nothing to change: give --rank, --weight or --cost');
      return session.show(command, 'route.set', { prefix, carrier, rank, weight, ...cost }, changedText);
    });

  addCommand(route, 'list', 'list the routes', ['route list', 'route list --json']).action(
    (_options, command: Command) => session.show(command, 'route.list', {}, routesText),
  );

  addCommand(route, 'remove', 'remove the routes of a prefix, or only the one to a carrier', [
    'route remove 46 backup',
    'route remove 46',
  ])
    .argument('<prefix>', 'digits, or *', prefixOf)
    .argument('[carrier]', 'its name')
    .action((prefix: string, carrier: string | undefined, _options, command: Command) =>
      session.show(command, 'route.remove', { prefix, carrier }, ({ removed, notes }) =>
        [`${counted(removed, 'route')} removed.`, ...notes].join('\n'),
      ),
    );

  addCommand(route, 'test', 'say which carriers a number would go to, in order', ['route test +46701234567'])
    .argument('<number>', 'a number as clients send it')
    .action(async (number: string, _options, command: Command) => {
      const choice = await session.call('route.test', { number });
      session.print(command, { json: choice, text: choiceText(choice), isFailure: !choice.isRouted });
    });
}

function withRouteFlags(command: Command, isNew: boolean): Command {
  return command
    .argument('<prefix>', 'digits; * for every number that no other route is for', prefixOf)
    .argument('<carrier>', 'its name')
    .option(
      '--rank <n>',
      `1 is tried first, the next while no carrier before it takes messages${isNew ? ' (default: 1)' : ''}`,
      count,
    )
    .option('--weight <n>', `its share among the carriers of its rank${isNew ? ' (default: 1)' : ''}`, count)
    .option(
      '--cost <amount>',
      'what it charges for a segment: for metrics, margin and reconcile, not for the choice',
      amountOrZero,
    )
    .option('--currency <code>', 'the currency of the cost', currency);
}

/** @throws OperatorError when only one of the two is given */
function costOf({ cost, currency: code }: RouteFlags): { cost?: string; currency?: string } {
  if (cost === undefined && code === undefined) return {};
  if (cost === undefined || code === undefined) {
    throw new OperatorError('give --cost and --currency together, or neither');
  }
  return { cost, currency: code };
}

/** The routes of the prefix after a change, and what the change means for messages. */
function changedText({ routes, notes }: AnswerOf<'route.add'>): string {
  return [routesText(routes), ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n');
}

function choiceText({ summary, isRouted, carriers }: AnswerOf<'route.test'>): string {
  if (!isRouted) return summary;
  return `${summary}\n\n${table(
    ['carrier', '>rank', '>weight', '>share', 'state'],
    carriers.map((row) => [row.carrier, row.rank, row.weight, `${row.sharePercent} %`, row.state]),
    'No carriers.',
  )}`;
}

function routesText(routes: AnswerOf<'route.list'>): string {
  return table(
    ['prefix', '>rank', 'carrier', '>weight', '>cost', 'note'],
    routes.map((route) => [
      prefixWord(route.prefix),
      route.rank,
      route.carrier,
      route.weight,
      route.cost === null ? undefined : `${route.cost} ${route.currency}`,
      route.carrierState === 'in use' ? undefined : route.carrierState,
    ]),
    'No routes: any carrier takes any message; simulators only where there is no other.',
  );
}

/** `*` stands for every number: an empty argument is a variable of a script that is not set. */
function prefixOf(text: string): string {
  if (text === '*') return '*';
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
