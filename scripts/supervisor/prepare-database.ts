import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Database, type DemoAccount, type DemoSettings, placeFirstTariffs, seedDemo } from '#persistence';
import { migrateAll } from '../database/migrate-all.js';
import { StartupError } from './startup-error.js';

const TARIFFS_DIR = fileURLToPath(new URL('../../../data/tariffs', import.meta.url));

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Brings the schema up to date, and gives a database that has no tariff the default ones.
 *
 * @returns whether it got tariffs
 * @throws StartupError in one line
 */
export async function migrate(databaseUrl: string): Promise<boolean> {
  await migrateAll(databaseUrl).catch(explain('the database could not be migrated'));
  return withDatabase(databaseUrl, (database) => placeFirstTariffs(database, TARIFFS_DIR)).catch(
    explain('the default tariffs could not be added'),
  );
}

/**
 * Adds what a first visitor needs to send a message. The key is kept in `file`, so that a restart has the same.
 *
 * @throws StartupError in one line
 */
export async function seed(databaseUrl: string, simulator: Address, file: string): Promise<DemoAccount> {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoAccount) : undefined;
  const settings: DemoSettings = { tariffsDir: TARIFFS_DIR, simulator, kept };
  const demo = await withDatabase(databaseUrl, (database) => seedDemo(database, settings)).catch(
    explain('the demo account could not be made'),
  );
  writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  return demo;
}

async function withDatabase<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await Database.open({ url, poolSize: 1, applicationName: 'heliograph-start' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function explain(what: string): (error: unknown) => never {
  return (error) => {
    throw new StartupError(`${what}: ${error instanceof Error ? error.message : error}`);
  };
}
