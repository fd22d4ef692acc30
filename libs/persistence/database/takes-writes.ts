import type { Queryable } from './database.js';

/** Whether the database takes writes. A replica does not, nor does a managed server that has run out of space. */
export async function takesWrites(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ is: boolean }>(`select current_setting('transaction_read_only') = 'off' as is`);
  return row?.is === true;
}
