import { migrateAll } from '../../scripts/database/migrate-all.js';
import { startTestBackends, type TestBackends } from '../../scripts/test/backends.js';
import { createTemplate } from './database.js';

let started: TestBackends | undefined;

/** Before the first spec: the servers, unless `npm test` has started them already, and the template database. */
export default async function setUp(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    started = await startTestBackends(process.env);
    process.env.TEST_DATABASE_URL = started.databaseUrl;
    process.env.TEST_REDIS_URL = started.redisUrl ?? '';
  }
  await createTemplate(migrateAll);
}

/** Ends what `setUp` has started. */
export async function stopStarted(): Promise<void> {
  await started?.stop();
}
