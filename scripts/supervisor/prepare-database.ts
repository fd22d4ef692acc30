import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Database, type DemoAccount, type DemoSettings, placeFirstTariffs, SecretKeys, seedDemo } from '#persistence';
import { encryptClearSecrets, migrateAll } from '../database/migrate-all.js';
import { StartupError } from './startup-error.js';

const TARIFFS_DIR = fileURLToPath(new URL('../../../data/tariffs', import.meta.url));

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The keys of the secrets in the database, and where they are kept, for people. */
export interface SecretsKeys {
  readonly keys: readonly Buffer[];
  readonly place: string;
}

/**
 * Brings the schema up to date, imports the default tariffs into a database that has none, and encrypts secrets that
 * are stored in clear.
 *
 * @returns what changed, a line each
 * @throws StartupError in one line
 */
export async function migrate(databaseUrl: string, { keys, place }: SecretsKeys): Promise<string[]> {
  const upgrades = await migrateAll(databaseUrl).catch(explain('the database could not be migrated'));
  const hasNewTariffs = await withDatabase(databaseUrl, new SecretKeys(), (database) =>
    placeFirstTariffs(database, TARIFFS_DIR),
  ).catch(explain('the default tariffs could not be added'));
  const encrypted = await encryptClearSecrets(databaseUrl, new SecretKeys(keys), place).catch(
    explain('the secrets of carriers could not be encrypted'),
  );
  const tariffs = hasNewTariffs ? ['The database had no tariff and got the default ones of data/tariffs.'] : [];
  return [...upgrades, ...tariffs, ...encrypted];
}

/**
 * Adds a demo account and a carrier, so that a visitor can send a message. `file` keeps the key, so that a restart has
 * the same one.
 *
 * @throws StartupError in one line
 */
export async function seed(
  databaseUrl: string,
  simulator: Address,
  file: string,
  secretKeys: SecretKeys,
): Promise<DemoAccount> {
  const kept = keptDemo(file);
  const settings: DemoSettings = { tariffsDir: TARIFFS_DIR, simulator, kept };
  const demo = await withDatabase(databaseUrl, secretKeys, (database) => seedDemo(database, settings)).catch(
    explain('the demo account could not be made'),
  );
  if (demo.apiKey !== kept?.apiKey) writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  return demo;
}

/** Undefined as well for a file that a killed start, or a full disk, has left without its end: the key is lost. */
function keptDemo(file: string): DemoAccount | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoAccount;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function withDatabase<Result>(
  url: string,
  secretKeys: SecretKeys,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await Database.open({ url, poolSize: 1, applicationName: 'heliograph-start', secretKeys });
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
