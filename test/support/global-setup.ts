import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateAll } from '../../scripts/database/migrate-all.js';
import { startTestBackends, type TestBackends } from '../../scripts/test/backends.js';
import { writeJestGlobals } from '../runner/jest-globals.js';
import { createTemplate } from './database.js';

let started: TestBackends | undefined;

/**
 * Before the first spec: the servers, unless `npm test` has started them already, the template database, a folder for
 * what specs make once a run, and what they import as `@jest/globals`.
 */
export default async function setUp(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    started = await startTestBackends(process.env);
    process.env.TEST_DATABASE_URL = started.databaseUrl;
    process.env.TEST_REDIS_URL = started.redisUrl ?? '';
  }
  process.env.TEST_RUN_FOLDER = mkdtempSync(join(tmpdir(), 'heliograph-run-'));
  writeJestGlobals();
  await createTemplate(migrateAll);
}

/** Ends what `setUp` has started. */
export async function stopStarted(): Promise<void> {
  const folder = process.env.TEST_RUN_FOLDER;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  await started?.stop();
}
