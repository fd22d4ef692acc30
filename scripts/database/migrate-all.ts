import { migrateDatabase } from '#persistence';
import { migrateQueue } from '#queue';

/** Brings the schema up to date, that of the queue included; safe to run again, and from two sides at once. */
export async function migrateAll(databaseUrl: string): Promise<void> {
  await migrateDatabase(databaseUrl);
  await migrateQueue(databaseUrl);
}
