import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { Database, migrateDatabase } from '#persistence';
import { createEmptyDatabase, createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

/** Adds a column to dispatch_turn, so it needs that table for itself; what it does may be done again. */
const LOCKING_MIGRATION = 'LongBacklogs1763850000000';
const OPERATORS = 'Operators1763900300000';

describe('migrations', () => {
  test('of two processes that start together each finds the schema whole', async () => {
    const { url, drop } = await createEmptyDatabase();
    await Promise.all([migrateDatabase(url), migrateDatabase(url)]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select name, count(*)::integer as times from schema_migration group by name');
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
    await client.end();
    await drop();
  });

  test('may change what a function answers beside a running process, on each of its connections', async () => {
    const { url, drop } = await createTestDatabase();
    const database = await Database.open({ url, poolSize: 4, applicationName: 'spec' });
    const askOnEach = () =>
      Promise.all(Array.from({ length: 4 }, () => database.query('select * from told(), pg_sleep(0.1)')));
    await database.query("create function told() returns table (a integer) language sql as 'select 1'");
    await askOnEach();
    await database.query('drop function told()');
    await database.query("create function told() returns table (a integer, b integer) language sql as 'select 1, 2'");
    for (const rows of [...(await askOnEach()), ...(await askOnEach())]) expect(rows).toMatchObject([{ a: 1, b: 2 }]);
    await database.close();
    await drop();
  });

  test('step back from a table that is in use, so that nobody waits behind them for long, and try again', async () => {
    const { url, drop } = await createTestDatabase();
    const [reader, bystander] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await reader.connect();
    await bystander.connect();
    await reader.query('delete from schema_migration where name = $1', [LOCKING_MIGRATION]);
    await reader.query('begin; select from dispatch_turn');
    const migrated = migrateDatabase(url);
    await eventually(async () => {
      const { rowCount } = await bystander.query(
        "select from pg_locks where mode = 'AccessExclusiveLock' and not granted",
      );
      return rowCount === 1;
    });
    // Stands in line behind the migration, and gets its turn while the reader still has the table.
    await bystander.query('select from dispatch_turn');
    await reader.query('commit');
    await migrated;
    const { rowCount } = await reader.query('select from schema_migration where name = $1', [LOCKING_MIGRATION]);
    expect(rowCount).toBe(1);
    await reader.end();
    await bystander.end();
    await drop();
  });

  test('give accounts that have one name different ones, and record that', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`
      delete from schema_migration where name = '${OPERATORS}';
      drop index account_name;
      drop table operator_change, held_account cascade;
      alter table tariff_rate drop column country;
      do $$ declare one record; begin
        for one in select tgname, tgrelid::regclass as name from pg_trigger where tgname like 'record_%' loop
          execute format('drop trigger %I on %s', one.tgname, one.name);
        end loop;
      end $$`);
    await client.query("insert into tariff (name, currency) values ('flat', 'EUR')");
    await client.query(
      "insert into account (name, currency, tariff_id) select n, 'EUR', 1 from unnest('{Acme,Other,Acme,Acme}'::text[]) n",
    );
    await migrateDatabase(url);
    const { rows: names } = await client.query('select name from account order by account_id');
    expect(names.map(({ name }) => name)).toEqual(['Acme', 'Other', 'Acme (1003)', 'Acme (1004)']);
    const { rows } = await client.query(
      "select operator, before, after from operator_change where subject = 'account' order by change_id",
    );
    expect(rows).toMatchObject([
      { operator: 'upgrade to 0.2.0', before: { name: 'Acme' }, after: { name: 'Acme (1003)' } },
      { operator: 'upgrade to 0.2.0', before: { name: 'Acme' }, after: { name: 'Acme (1004)' } },
    ]);
    await client.end();
    await drop();
  });
});
