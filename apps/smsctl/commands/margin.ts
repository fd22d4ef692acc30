import type { Command } from 'commander';
import { counted } from '#operations';
import { currency, instant, month } from '../arguments.js';
import { addCommand, defineCommand } from '../command.js';
import { readSource } from '../read-source.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

export function defineMargin(margin: Command, session: Session): void {
  defineCommand(margin, ['margin --month 2026-10', 'margin --month 2026-10 --json'])
    .requiredOption('--month <month>', 'from midnight to midnight in UTC, e.g. 2026-10', month)
    .action((options: { month: string }, command: Command) => session.show(command, 'margin', options, marginText));
}

function marginText({ lines, totals, isWhole }: AnswerOf<'margin'>): string {
  return [
    table(
      ['carrier', 'destination', '>segments', '>revenue', 'in', '>cost', 'in', '>margin', '>without cost'],
      lines.map((line) => [
        line.carrier,
        `+${line.destination}`,
        line.segments,
        line.revenue,
        line.currency,
        line.cost,
        line.costCurrency,
        line.margin,
        line.segmentsWithoutCost,
      ]),
      'No carrier took anything in this month.',
    ),
    ...totals.map(({ currency: code, revenue, cost, margin }) => `${code}: ${revenue} - ${cost} = ${margin}`),
    ...(isWhole ? [] : ['Retention may have dropped messages of this month.']),
  ].join('\n\n');
}

export function addCostCommands(cost: Command, session: Session): void {
  addCommand(cost, 'import', 'give a carrier all its costs from a time on', [
    'cost import acme --currency EUR acme.csv --from 2026-11-01T00:00:00Z',
  ])
    .argument('<carrier>', 'its name')
    .argument('<file>', 'CSV with the header prefix,price; - for standard input')
    .requiredOption('--currency <code>', 'of the costs', currency)
    .requiredOption('--from <time>', 'the time from which they hold; it may have passed', instant)
    .action(async (carrier: string, file: string, options: { currency: string; from: Date }, command: Command) => {
      const wanted = { carrier, currency: options.currency, validFrom: options.from.toISOString() };
      await session.show(command, 'cost.import', { ...wanted, csv: await readSource(file) }, ({ costs, validFrom }) => {
        return `${counted(costs, 'cost')} of ${carrier} from ${moment(validFrom)} on.`;
      });
    });
  addCommand(cost, 'show', 'show what a carrier charges for a segment', ['cost show acme'])
    .argument('<carrier>', 'its name')
    .option('--at <time>', 'those of this time (default: now)', instant)
    .action((carrier: string, { at }: { at?: Date }, command: Command) =>
      session.show(command, 'cost.show', { carrier, at: at?.toISOString() }, ({ costs }) =>
        table(
          ['prefix', '>a segment', 'in'],
          costs.map((one) => [one.prefix, one.cost, one.currency]),
          'No costs: those of its routes are taken.',
        ),
      ),
    );
}
