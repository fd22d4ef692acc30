import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, loadProcessConfig, loadStartOptions, sessionDatabaseUrl, wantsDemo } from '#config';
import { migrate, seed } from './supervisor/prepare-database.js';
import { checkDatabase } from './supervisor/provide-database.js';
import { StartupError } from './supervisor/startup-error.js';

/**
 * `node dist/scripts/migrate.js [--demo]`: brings the schema of DATABASE_URL (or DATABASE_DIRECT_URL, where the
 * first leads through a connection pooler) up to date, and gives it the default tariffs when it has none. With `--demo` it also
 * adds the simulator at SIMULATOR_HOST:SIMULATOR_PORT as carrier, and a demo account whose key it prints.
 */
async function main(): Promise<void> {
  const config = loadProcessConfig();
  const databaseUrl = sessionDatabaseUrl(config);
  await checkDatabase(databaseUrl);
  const hasNewTariffs = await migrate(databaseUrl);
  process.stdout.write('The database is up to date.\n');
  if (hasNewTariffs) process.stdout.write('It had no tariff and got the default ones of data/tariffs.\n');
  if (!wantsDemo(loadStartOptions(), { DATABASE_URL: databaseUrl })) return;
  mkdirSync(config.DATA_DIR, { recursive: true });
  const simulator = { host: config.SIMULATOR_HOST, port: config.SIMULATOR_PORT };
  const demo = await seed(databaseUrl, simulator, join(config.DATA_DIR, 'demo.json'));
  process.stdout.write(`Demo account ${demo.accountId}, API key ${demo.apiKey}\n`);
}

await main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof StartupError;
  process.stderr.write(`migrate: ${expected ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
