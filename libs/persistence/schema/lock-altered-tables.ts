/** For so long the migration looks for a moment in which nobody uses its tables; then it waits in line. */
const LOOKING_MS = 3_000;

/**
 * Locks the tables that a migration alters, all at once, in a moment in which nobody uses them. Whoever waits in line
 * for a table that is in use deadlocks with the service: an accept holds balances and then needs the orders, a worker
 * holds orders and then needs balances, and a migration that waits for the orders stands between them. Each deadlock
 * stops the service for a second, until PostgreSQL finds it.
 *
 * When there is no such moment, it locks nothing, and the statements of the migration wait as they come.
 */
export async function lockAlteredTables(
  transaction: { query(statement: string): Promise<unknown> },
  migration: string,
): Promise<void> {
  const altered = new Set(Array.from(migration.matchAll(/^alter table (\w+)/gm), ([, table]) => `'${table}'`));
  if (altered.size === 0) return;
  await transaction.query(`
do $$
declare
  -- Those that the migration itself creates are not there yet.
  tables text := (select string_agg(name, ', ') from unnest(array[${[...altered].join()}]) name
                  where to_regclass(name) is not null);
begin
  while tables is not null and clock_timestamp() < statement_timestamp() + interval '${LOOKING_MS} ms' loop
    begin
      execute format('lock table %s in access exclusive mode nowait', tables);
      return;
    exception when lock_not_available then
      perform pg_sleep(0.002);
    end;
  end loop;
end $$`);
}
