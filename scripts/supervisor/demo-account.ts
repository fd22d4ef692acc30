import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as persistence from '#persistence';
import { StartupError } from './startup-error.js';

/** The demo account as DATA_DIR keeps it: the key itself is shown once and stored only as a hash by the service. */
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
      readonly simulator: { readonly host: string; readonly port: number };
      readonly kept: DemoAccount | undefined;
    },
  ): Promise<DemoAccount>;
}

const { migrateDatabase, seedDemo } = persistence as unknown as Preparation;

/**
 * Makes the database ready: the schema, and what a first visitor needs.
 *
 * @throws StartupError in one line
 */
export async function prepareDatabase(
  databaseUrl: string,
  dataDir: string,
  tariffsDir: string,
  simulator: { readonly host: string; readonly port: number },
): Promise<DemoAccount> {
  const file = join(dataDir, 'demo.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoAccount) : undefined;
  try {
    await migrateDatabase(databaseUrl);
    const demo = await seedDemo(databaseUrl, { tariffsDir, simulator, kept });
    writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
    return demo;
  } catch (error) {
    throw new StartupError(`the database could not be prepared: ${error instanceof Error ? error.message : error}`);
  }
}
