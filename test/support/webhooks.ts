import type { Database, KeyManager } from '#persistence';

/** The owner of an account, by its first key. */
export async function managerOf(database: Database, accountId: string): Promise<KeyManager> {
  const [key] = await database.query<{ key_id: string }>('select key_id from api_key where account_id = $1', [
    accountId,
  ]);
  return { accountId, keyId: key?.key_id ?? '', actor: { operator: 'spec' } };
}
