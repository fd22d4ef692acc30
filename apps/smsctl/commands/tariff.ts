import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { formatMicros, parseTariffCsv, type Rate, TariffError } from '#billing';
import {
  findTariff,
  importTariff,
  listRates,
  listTariffs,
  OperatorError,
  setDefaultTariff,
  type TariffOverview,
} from '#persistence';
import { currency } from '../arguments.js';
import { addCommand } from '../command.js';
import type { Answer, Session } from '../session.js';
import { table } from '../text.js';

export function addTariffCommands(tariff: Command, session: Session): void {
  addCommand(tariff, 'import', 'make a tariff of a CSV file, or replace all rates of one', [
    'tariff import acme-2026 --currency EUR acme.csv',
  ])
    .argument('<name>', 'letters, digits, dots, dashes and underscores')
    .argument('<file>', 'CSV with the header prefix,price: the price of one segment to numbers with the prefix')
    .requiredOption('--currency <code>', 'the currency of the prices', currency)
    .action((name: string, file: string, options: { currency: string }, command: Command) =>
      session.answer(command, async (database) => {
        const rates = await readRates(file);
        return tariffAnswer(await importTariff(database, { name, currency: options.currency, rates }), 'imported');
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
        const rates = (await listRates(database, shown.tariffId)).map(({ prefix, price }) => ({
          prefix,
          price: formatMicros(price),
        }));
        return {
          json: { ...tariffJson(shown), rates },
          text: table(
            ['prefix', `>${shown.currency} a segment`],
            rates.map(({ prefix, price }) => [prefix, price]),
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
  try {
    return parseTariffCsv(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof TariffError) throw new OperatorError(`${file}: ${error.message}`);
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tariffAnswer(tariff: TariffOverview, what: string): Answer {
  const role = tariff.isDefault ? `, the default for new accounts in ${tariff.currency}` : '';
  return {
    json: tariffJson(tariff),
    text: `Tariff ${tariff.name} ${what}: ${tariff.rateCount} rates in ${tariff.currency}${role}.`,
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
