import { type Database, findSuppression } from '#persistence';

/** Whether a number is on the suppression list of an account, or of a sandbox. */
export async function isSuppressed(database: Database, accountId: string, e164: string): Promise<boolean> {
  return (await findSuppression(database, accountId, e164)) !== undefined;
}
