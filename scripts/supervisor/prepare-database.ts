import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Database, type DemoAccount, type DemoSettings, seedDemo } from '#persistence';
import { migrateAll } from '../database/migrate-all.js';
import { StartupError } from './startup-error.js';

const TARIFFS_DIR = fileURLToPath(new URL('../../../data/tariffs', import.meta.url));

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Brings the schema up to date.
 *
 * @throws StartupError in one line
 */
export async function migrate(databaseUrl: string): Promise<void> {
  await migrateAll(databaseUrl).catch(explain('the database could not be migrated'));
}

/**
 * Adds what a first visitor needs to send a message. The key is kept in `file`, so that a restart has the same.
 *
 * @throws StartupError in one line
 */
export async function seed(databaseUrl: string, simulator: Address, file: string): Promise<DemoAccount> {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoAccount) : undefined;
  const demo = await seedInto(databaseUrl, { tariffsDir: TARIFFS_DIR, simulator, kept }).catch(
    explain('the demo account could not be made'),
  );
  writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  return demo;
}

async function seedInto(databaseUrl: string, settings: DemoSettings): Promise<DemoAccount> {
  const database = await Database.open({ url: databaseUrl, poolSize: 1, applicationName: 'heliograph-start' });
  try {
    return await seedDemo(database, settings);
  } finally {
    await database.close();
  }
}

function explain(what: string): (error: unknown) => never {
  return (error) => {
    throw new StartupError(`${what}: ${error instanceof Error ? error.message : error}`);
  };
}
