import { type Database, redactWanted, retainNextSlice } from '#persistence';

/** So few that there are several slices. */
export const PER_SLICE = 3;

/** Everything that the account has sent and received happened so long ago. */
export async function ageMessages(database: Database, accountId: string, days: number): Promise<void> {
  await database.query(
    `update message_order set created_at = created_at - p, final_at = final_at - p, sent_at = sent_at - p
       from make_interval(days => $2) p where account_id = $1`,
    [accountId, days],
  );
  await database.query(
    'update inbound_message set received_at = received_at - make_interval(days => $2) where account_id = $1',
    [accountId, days],
  );
}

/** As the scheduled job does it. */
export async function retainAll(database: Database): Promise<void> {
  let after = '-9223372036854775808';
  for (let n = 0; n < 500; n += 1) {
    const slice = await retainNextSlice(database, after, PER_SLICE);
    if (slice.accountId === undefined) return;
    if (!slice.isFull) after = slice.accountId;
  }
  throw new Error('retention does not come to an end');
}

/** As the worker does it, whatever time it is; waits for no minute. */
export async function redactAll(database: Database): Promise<void> {
  await database.query('update redaction_due set look_at = now()');
  for (let n = 0; n < 500; n += 1) {
    if ((await redactWanted(database, PER_SLICE)) < PER_SLICE) return;
  }
  throw new Error('redaction does not come to an end');
}

/** Tables in which a text is found, whatever the column. */
export async function tablesWith(database: Database, text: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query(`select from "${name}" t where position($1 in t::text) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
