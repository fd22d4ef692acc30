import type { Command } from 'commander';
import { formatMicros, parseTariffCsv, type Rate, TariffError } from '#billing';
import {
  findTariff,
  importTariff,
  listRates,
  listTariffs,
  OperatorError,
  previewTariff,
  setDefaultTariff,
  type TariffDifference,
  type TariffOverview,
  type WantedTariff,
} from '#persistence';
import { currency } from '../arguments.js';
import { addCommand } from '../command.js';
import { readSource } from '../read-source.js';
import type { Answer, Session } from '../session.js';
import { counted, table } from '../text.js';

export function addTariffCommands(tariff: Command, session: Session): void {
  addCommand(tariff, 'import', 'make a tariff of a CSV file, or replace all rates of one', [
    'tariff import acme-2026 --currency EUR acme.csv',
    'tariff import acme-2026 --currency EUR acme.csv --dry-run',
    'tariff import acme-2026 --currency EUR - < acme.csv',
  ])
    .argument('<name>', 'letters, digits, dots, dashes and underscores')
    .argument('<file>', 'CSV with the header prefix,price or prefix,price,country; - for standard input')
    .requiredOption('--currency <code>', 'the currency of the prices', currency)
    .option('--dry-run', 'only say what would be added, removed and changed')
    .action((name: string, file: string, options: { currency: string; dryRun?: boolean }, command: Command) =>
      session.answer(command, async (database) => {
        const wanted = { name, currency: options.currency, rates: await readRates(file) };
        return options.dryRun === true
          ? previewAnswer(wanted, await previewTariff(database, wanted))
          : importAnswer(await importTariff(database, wanted));
      }),
    );

  addCommand(tariff, 'list', 'list the tariffs', ['tariff list']).action((_options, command: Command) =>
    session.answer(command, async (database) => {
      const tariffs = await listTariffs(database);
      return {
        json: tariffs.map(tariffJson),
        text: table(
          ['tariff', 'currency', 'default', '>rates'],
          tariffs.map((each) => [each.name, each.currency, each.isDefault ? 'yes' : '', each.rateCount]),
          'No tariffs.',
        ),
      };
    }),
  );

  addCommand(tariff, 'show', 'show the rates of a tariff', [
    'tariff show default-eur',
    'tariff show default-eur --json',
  ])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => {
        const shown = await findTariff(database, name);
        const rates = (await listRates(database, shown.tariffId)).map(rateJson);
        return {
          json: { ...tariffJson(shown), rates },
          text: table(
            ['prefix', `>${shown.currency} a segment`, 'country'],
            rates.map(({ prefix, price, country }) => [prefix, price, country ?? '']),
            'No rates.',
          ),
        };
      }),
    );

  addCommand(tariff, 'set-default', 'give a tariff to new accounts in its currency', ['tariff set-default acme-2026'])
    .argument('<name>', 'its name')
    .action((name: string, _options, command: Command) =>
      session.answer(command, async (database) => tariffAnswer(await setDefaultTariff(database, name), 'set')),
    );
}

async function readRates(file: string): Promise<Rate[]> {
  const source = file === '-' ? 'standard input' : file;
  const csv = await readSource(file);
  try {
    return parseTariffCsv(csv);
  } catch (error) {
    if (error instanceof TariffError) throw new OperatorError(`${source}: ${error.message}`);
    throw error;
  }
}

function importAnswer({ difference, ...tariff }: TariffOverview & { difference: TariffDifference }): Answer {
  const { json, text } = tariffAnswer(tariff, 'imported');
  return { json: { ...json, ...countsOf(difference) }, text: `${text} ${countWords(difference)}.` };
}

function previewAnswer({ name, currency }: WantedTariff, difference: TariffDifference): Answer {
  const { added, removed, changed } = difference;
  const rows = [
    ...removed.map((rate) => ({ ...rate, change: 'removed', was: formatMicros(rate.price), becomes: undefined })),
    ...changed.map((rate) => ({
      ...rate,
      change: 'changed',
      was: formatMicros(rate.oldPrice),
      becomes: formatMicros(rate.price),
    })),
    ...added.map((rate) => ({ ...rate, change: 'added', was: undefined, becomes: formatMicros(rate.price) })),
  ].sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  return {
    json: {
      name,
      currency,
      dryRun: true,
      ...countsOf(difference),
      changes: rows.map(({ change, prefix, was, becomes, country }) => ({
        change,
        prefix,
        oldPrice: was ?? null,
        price: becomes ?? null,
        country: country ?? null,
      })),
    },
    text: `${table(
      ['prefix', 'change', `>${currency} before`, `>${currency} after`, 'country'],
      rows.map(({ prefix, change, was, becomes, country }) => [prefix, change, was, becomes, country ?? '']),
      'Nothing would change.',
    )}\n\nNot imported (--dry-run): ${countWords(difference)}.`,
  };
}

function countsOf({ added, removed, changed, unchanged }: TariffDifference): Record<string, number> {
  return { added: added.length, removed: removed.length, changed: changed.length, unchanged };
}

function countWords({ added, removed, changed, unchanged }: TariffDifference): string {
  return `${added.length} added, ${removed.length} removed, ${changed.length} changed, ${unchanged} as before`;
}

function rateJson({ prefix, price, country }: Rate): { prefix: string; price: string; country?: string } {
  return { prefix, price: formatMicros(price), ...(country !== undefined && { country }) };
}

function tariffAnswer(tariff: TariffOverview, what: string): Answer & { readonly json: Record<string, unknown> } {
  const role = tariff.isDefault ? `, the default for new accounts in ${tariff.currency}` : '';
  return {
    json: tariffJson(tariff),
    text: `Tariff ${tariff.name} ${what}: ${counted(tariff.rateCount, 'rate')} in ${tariff.currency}${role}.`,
  };
}

function tariffJson(tariff: TariffOverview): Record<string, unknown> {
  return {
    name: tariff.name,
    currency: tariff.currency,
    isDefault: tariff.isDefault,
    rateCount: tariff.rateCount,
    createdAt: tariff.createdAt,
  };
}
