import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database, type DemoAccount, seedDemo } from '#persistence';
import { migrateAll } from '../database/migrate-all.js';
import { StartupError } from './startup-error.js';

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
    await migrateAll(databaseUrl);
    const database = await Database.open({ url: databaseUrl, poolSize: 2, applicationName: 'heliograph-start' });
    try {
      const demo = await seedDemo(database, { tariffsDir, simulator, kept });
      writeFileSync(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
      return demo;
    } finally {
      await database.close();
    }
  } catch (error) {
    throw new StartupError(`the database could not be prepared: ${error instanceof Error ? error.message : error}`);
  }
}
