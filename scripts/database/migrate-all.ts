import {
  Database,
  lackOf,
  migrateDatabase,
  processesWithoutKeys,
  rotateSecrets,
  type SecretKeys,
  secretsStatus,
} from '#persistence';
import { migrateQueue } from '#queue';

/**
 * Brings the schema up to date, with the schema of the queue. Safe to run again, and by two processes at once.
 *
 * @returns what changed for an existing database, a line each
 */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const summaries = await migrateDatabase(databaseUrl);
  await migrateQueue(databaseUrl);
  return summaries.map((summary) => `Upgraded the database: ${summary}.`);
}

/**
 * Encrypts secrets that an older version, or a process without a key, has stored in clear; not while a running process
 * could no longer read them.
 *
 * @param keyPlace where the key is kept, for people
 * @returns what changed, a line each; nothing without a key
 */
export async function encryptClearSecrets(
  databaseUrl: string,
  secretKeys: SecretKeys,
  keyPlace: string,
): Promise<string[]> {
  const { currentId } = secretKeys;
  if (currentId === undefined) return [];
  const applicationName = 'heliograph-migrate';
  const database = await Database.open({ url: databaseUrl, poolSize: 1, applicationName, secretKeys });
  try {
    const clear = (await secretsStatus(database)).stored.find(({ keyId }) => keyId === null)?.carriers ?? [];
    if (clear.length === 0) return [];
    const whose = clear.length === 1 ? `The secrets of carrier ${clear[0]}` : `The secrets of ${clear.length} carriers`;
    const lacking = await processesWithoutKeys(database, [currentId]);
    if (lacking.length > 0) {
      return [
        `${whose} stay in clear, because ${lacking.map(lackOf).join('; ')}: run \`smsctl secrets rotate\` later.`,
      ];
    }
    await rotateSecrets(database, 'clear');
    return [`${whose} are now encrypted with the key in ${keyPlace}.`];
  } finally {
    await database.close();
  }
}
