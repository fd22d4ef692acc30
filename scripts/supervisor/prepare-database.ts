import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as persistence from '#persistence';
import { StartupError } from './startup-error.js';

const TARIFFS_DIR = fileURLToPath(new URL('../../../data/tariffs', import.meta.url));

/** The demo account as its file keeps it: the service itself stores only a hash of the key. */
export interface DemoAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/** What the start needs of the database. */
interface Preparation {
  /** Brings the schema up to date, that of the queue included; safe to run again and from two sides at once. */
  migrateDatabase(databaseUrl: string): Promise<void>;
  /**
   * Adds what is missing of: a default tariff per currency from `tariffsDir/CURRENCY.csv`, the carrier `simulator`, or
   * its new address, and a demo account with money. A kept key that this database still knows is used again.
   */
  seedDemo(
    databaseUrl: string,
    options: {
      readonly tariffsDir: string;
      readonly simulator: Address;
      readonly kept: DemoAccount | undefined;
    },
  ): Promise<DemoAccount>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const { migrateDatabase, seedDemo } = persistence as unknown as Preparation;

/**
 * Brings the schema up to date.
 *
 * @throws StartupError in one line
 */
export async function migrate(databaseUrl: string): Promise<void> {
  await migrateDatabase(databaseUrl).catch(explain('the database could not be migrated'));
}

/**
 * Adds what a first visitor needs to send a message. The key is kept in `file`, so that a restart has the same.
 *
 * @throws StartupError in one line
 */
export async function seed(databaseUrl: string, simulator: Address, file: string): Promise<DemoAccount> {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoAccount) : undefined;
  const options = { tariffsDir: TARIFFS_DIR, simulator, kept };
  const demo = await seedDemo(databaseUrl, options).catch(explain('the demo account could not be made'));
  writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  return demo;
}

function explain(what: string): (error: unknown) => never {
  return (error) => {
    throw new StartupError(`${what}: ${error instanceof Error ? error.message : error}`);
  };
}
