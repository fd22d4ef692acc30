import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadProcessConfig, loadStartOptions, secretsKeysOf, sessionDatabaseUrl, wantsDemo } from '#config';
import { SecretKeys } from '#persistence';
import { carrierWarnings, readSetup } from './supervisor/next-steps.js';
import { migrate, seed } from './supervisor/prepare-database.js';
import { checkDatabase } from './supervisor/provide-database.js';
import { failureWords } from './supervisor/startup-error.js';

/**
 * `node dist/scripts/migrate.js [--demo]`: brings the schema of DATABASE_URL (or DATABASE_DIRECT_URL, if the first
 * leads to a connection pooler) up to date, imports the default tariffs if there are none, and encrypts with
 * SECRETS_KEY the carriers' secrets that are stored in clear. With `--demo` it also adds the simulator at
 * SIMULATOR_HOST:SIMULATOR_PORT as a carrier, and a demo account whose key it prints.
 */
async function main(): Promise<void> {
  const config = loadProcessConfig();
  const databaseUrl = sessionDatabaseUrl(config);
  // Before anything is changed: a migration goes forward only.
  const hasDemo = wantsDemo(loadStartOptions(), { DATABASE_URL: databaseUrl });
  await checkDatabase(databaseUrl, config.DATABASE_DIRECT_URL === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL');
  const keys = secretsKeysOf(config);
  const place = config.SECRETS_KEY_FILE ?? 'SECRETS_KEY';
  for (const line of await migrate(databaseUrl, { keys, place })) process.stdout.write(`${line}\n`);
  process.stdout.write('The database is up to date.\n');
  if (hasDemo) {
    mkdirSync(config.DATA_DIR, { recursive: true });
    const simulator = { host: config.SIMULATOR_HOST, port: config.SIMULATOR_PORT };
    const demo = await seed(databaseUrl, simulator, join(config.DATA_DIR, 'demo.json'), new SecretKeys(keys));
    process.stdout.write(`Demo account ${demo.accountId}, API key ${demo.apiKey}\n`);
  }
  // This program does not know whether a simulator runs; it warns of one beside a real carrier.
  for (const warning of carrierWarnings(await readSetup(databaseUrl), true, 'bin/smsctl')) {
    process.stdout.write(`Attention! ${warning}\n`);
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`migrate: ${failureWords(error)}\n`);
  process.exitCode = 1;
});
