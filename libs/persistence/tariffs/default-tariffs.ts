import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTariffCsv } from '#billing';
import type { Database } from '../database/database.js';
import { importTariff } from './import-tariff.js';
import { listTariffs } from './tariffs.js';

const DEFAULT_CURRENCIES = ['EUR', 'USD', 'GBP'];

/**
 * Adds the missing default tariffs. Existing ones are not read again, because the operator may have changed them.
 *
 * @param tariffsDir the folder with `default-eur.csv` and its siblings
 */
export async function placeDefaultTariffs(database: Database, tariffsDir: string): Promise<void> {
  const existing = new Set((await listTariffs(database)).map((tariff) => tariff.name));
  for (const currency of DEFAULT_CURRENCIES) {
    const name = `default-${currency.toLowerCase()}`;
    if (existing.has(name)) continue;
    const csv = await readFile(join(tariffsDir, `${name}.csv`), 'utf8');
    await importTariff(database, { name, currency, rates: parseTariffCsv(csv) });
  }
}

/**
 * Adds the default tariffs to a database that has no tariff at all, so that accounts can be created at once; returns
 * whether it had none.
 */
export async function placeFirstTariffs(database: Database, tariffsDir: string): Promise<boolean> {
  const [any] = await database.query('select from tariff limit 1');
  if (any !== undefined) return false;
  await placeDefaultTariffs(database, tariffsDir);
  return true;
}
