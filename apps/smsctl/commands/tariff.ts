import type { Command } from 'commander';
import { counted } from '#operations';
import { currency, instant } from '../arguments.js';
import { addCommand, wrongUsage } from '../command.js';
import { readSource } from '../read-source.js';
import type { AnswerOf } from '../requests.js';
import type { Session } from '../session.js';
import { moment, table } from '../text.js';

type Tariff = AnswerOf<'tariff.list'>[number];
type Counts = Pick<AnswerOf<'tariff.import'>, 'added' | 'removed' | 'changed' | 'unchanged'>;

interface ImportOptions {
  readonly currency: string;
  readonly from?: Date;
  readonly basedOn?: string;
  readonly dryRun?: boolean;
  readonly revision?: string;
}

export function addTariffCommands(tariff: Command, session: Session): void {
  addCommand(tariff, 'import', 'make a tariff of a CSV file, or replace all rates of one', [
    'tariff import acme-2026 --currency EUR acme.csv',
    'tariff import acme-2026 --currency EUR acme.csv --dry-run',
    'tariff import acme-2026 --currency EUR 2027.csv --from 2027-01-01T00:00:00Z',
    'tariff import for-bravo --currency EUR bravo.csv --based-on acme-2026',
    'tariff import acme-2026 --currency EUR - < acme.csv',
  ])
    .argument('<name>', 'letters, digits, dots, dashes and underscores')
    .argument('<file>', 'CSV with the header prefix,price or prefix,price,country; - for standard input')
    .requiredOption('--currency <code>', 'the currency of the prices', currency)
    .option('--from <time>', 'when these rates begin (default: now)', instant)
    .option('--based-on <tariff>', 'whose rates hold for other prefixes')
    .option('--dry-run', 'only say what would be added, removed and changed')
    .option('--revision <text>', 'of a dry run with --json: import nothing if the rates were changed since')
    .action(async (name: string, file: string, options: ImportOptions, command: Command) => {
      const { currency: code, from, basedOn, revision } = options;
      if (options.dryRun === true && revision !== undefined)
        wrongUsage(command, '--revision is for the import: a dry run gives one and needs none');
      const wanted = { name, currency: code, csv: await readSource(file), validFrom: from?.toISOString(), basedOn };
      const source = file === '-' ? 'standard input' : file;
      await naming(source, () =>
        options.dryRun === true
          ? session.show(command, 'tariff.preview', wanted, previewText)
          : session.show(command, 'tariff.import', { ...wanted, revision }, (imported) => {
              const when = from === undefined ? '' : ` From ${moment(from.toISOString())} on:`;
              return `${tariffText(imported, 'imported')}${when} ${countWords(imported)}.`;
            }),
      );
    });

  addCommand(tariff, 'list', 'list the tariffs', ['tariff list']).action((_options, command: Command) =>
    session.show(command, 'tariff.list', {}, (tariffs) =>
      table(
        ['tariff', 'currency', 'default', '>rates', 'based on', 'changes at'],
        tariffs.map((each) => [
          each.name,
          each.currency,
          each.isDefault ? 'yes' : '',
          each.rateCount,
          each.basedOn ?? '',
          moment(each.changesAt),
        ]),
        'No tariffs.',
      ),
    ),
  );

  addCommand(tariff, 'show', 'show the rates of a tariff', [
    'tariff show default-eur',
    'tariff show default-eur --at 2027-01-01T00:00:00Z',
  ])
    .argument('<name>', 'its name')
    .option('--at <time>', 'those of this time (default: now)', instant)
    .action((name: string, { at }: { at?: Date }, command: Command) =>
      session.show(command, 'tariff.show', { name, at: at?.toISOString() }, ({ currency: own, rates }) =>
        table(
          ['prefix', `>${own} a segment`, 'country'],
          rates.map(({ prefix, price, country }) => [prefix, price, country ?? '']),
          'No rates.',
        ),
      ),
    );

  addCommand(tariff, 'cancel', 'take back the rates that were planned for a time', [
    'tariff cancel acme-2026 --from 2027-01-01T00:00:00Z',
  ])
    .argument('<name>', 'its name')
    .requiredOption('--from <time>', 'when they would begin', instant)
    .action((name: string, { from }: { from: Date }, command: Command) =>
      session.show(command, 'tariff.cancel', { name, validFrom: from.toISOString() }, (tariff) =>
        tariffText(tariff, 'stays'),
      ),
    );

  addCommand(tariff, 'set-default', 'give a tariff to new accounts in its currency', ['tariff set-default acme-2026'])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.show(command, 'tariff.set-default', { name }, (tariff) => tariffText(tariff, 'set')),
    );
}

/** A fault of the file names it as well. */
async function naming<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && /^(line \d|the file has no rate)/.test(error.message))
      error.message = `${source}: ${error.message}`;
    throw error;
  }
}

function previewText({ currency: own, changes, ...counts }: AnswerOf<'tariff.preview'>): string {
  return `${table(
    ['prefix', 'change', `>${own} before`, `>${own} after`, 'country'],
    changes.map(({ prefix, change, oldPrice, price, country }) => [prefix, change, oldPrice, price, country ?? '']),
    'Nothing would change.',
  )}\n\nNot imported (--dry-run): ${countWords(counts)}.`;
}

function countWords({ added, removed, changed, unchanged }: Counts): string {
  return `${added} added, ${removed} removed, ${changed} changed, ${unchanged} as before`;
}

function tariffText(tariff: Tariff, what: string): string {
  const role = tariff.isDefault ? `, the default for new accounts in ${tariff.currency}` : '';
  return `Tariff ${tariff.name} ${what}: ${counted(tariff.rateCount, 'rate')} in ${tariff.currency}${role}.`;
}
