import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { Database, migrateDatabase } from '#persistence';
import { examineQueue } from '../../libs/operations/doctor/examine-queue.js';
import type { ServersInUse } from '../../libs/operations/doctor/finding.js';
import { lockAlteredTables } from '../../libs/persistence/schema/lock-altered-tables.js';
import { SCHEMA_FILE, schemaFileOf } from '../../scripts/database/schema-file.js';
import { createEmptyDatabase, createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

/** Adds a column to dispatch_turn, so it needs that table for itself; what it does may be done again. */
const LOCKING_MIGRATION = 'LongBacklogs1763850000000';

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

  test('read the URL as all other processes do: a % in a password need not be encoded', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create role per_cent superuser login password '50%off'`);
    const asPerCent = url.replace(/\/\/[^@]*@/, '//per_cent:50%off@');
    const database = await Database.open({ url: asPerCent, poolSize: 1, applicationName: 'spec' });
    await database.close();
    expect(await migrateDatabase(asPerCent)).toEqual([]);
    await client.query('drop role per_cent');
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
    // It looks for a moment in which nobody has the table before it waits in line.
    await eventually(async () => {
      const { rowCount } = await bystander.query(
        `select from pg_locks join pg_database d on d.oid = database
          where d.datname = current_database() and mode = 'AccessExclusiveLock' and not granted`,
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

  test('lock the tables that they alter all at once, and nobody waits behind them until all are free', async () => {
    const { url, drop } = await createEmptyDatabase();
    const [service, migration, observer] = [1, 2, 3].map(() => new pg.Client({ connectionString: url })) as [
      pg.Client,
      pg.Client,
      pg.Client,
    ];
    await Promise.all([service.connect(), migration.connect(), observer.connect()]);
    await service.query('create table first_table (); create table second_table ()');
    await service.query('begin; select from second_table');
    await migration.query('begin');
    const locked = lockAlteredTables(
      migration,
      'create table third_table ();\nalter table first_table add a int;\nalter table second_table add a int;\n' +
        'alter table third_table add a int',
    );
    const exclusive = async () => {
      const { rows } = await service.query(
        `select relation::regclass::text as name from pg_locks join pg_database d on d.oid = database
          where d.datname = current_database() and mode = 'AccessExclusiveLock' and granted order by 1`,
      );
      return rows.map(({ name }) => name);
    };
    // It has tried, and waits for the next try: with one of the two, it would deadlock with the service here.
    await eventually(async () => {
      const { rowCount } = await observer.query("select from pg_stat_activity where wait_event = 'PgSleep'");
      return rowCount === 1;
    });
    await service.query('select from first_table');
    await service.query('commit');
    await locked;
    const names = await exclusive();
    await Promise.all([service.end(), migration.end(), observer.end()]);
    await drop();
    expect(names).toEqual(['first_table', 'second_table']);
  });

  test('never change their text once a version with them is published', () => {
    const folder = join(process.cwd(), 'libs/persistence/schema/migrations');
    const checksums = readdirSync(folder)
      .sort()
      .map(
        (file) =>
          `${createHash('sha256')
            .update(readFileSync(join(folder, file)))
            .digest('hex')}  ${file}`,
      );
    const published = readFileSync(join(process.cwd(), 'test/persistence/published/migrations.sha256'), 'utf8');
    expect(checksums).toEqual(expect.arrayContaining(published.trimEnd().split('\n')));
  });

  test('leave behind the schema that the file of the schema shows: otherwise run npm run schema', async () => {
    const { url, drop } = await createEmptyDatabase();
    expect(readFileSync(join(process.cwd(), SCHEMA_FILE), 'utf8')).toBe(await schemaFileOf(url));
    await drop();
  });
});

describe('the functions', () => {
  test('of every file are installed', async () => {
    const root = join(process.cwd(), 'libs/persistence');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.sql') && !file.startsWith('schema/'))
      .filter((file) => /create or replace function/.test(readFileSync(join(root, file), 'utf8')));
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ path: string }>('select path from function_file');
    expect(rows.map(({ path }) => path).sort()).toEqual(files.sort());
    await client.end();
    await drop();
  });

  test('are installed again when their text has changed, and only then', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const rowOf = async () => (await client.query("select xmin from pg_proc where proname = 'accept_messages'")).rows;
    const before = await rowOf();
    expect(await migrateDatabase(url)).toEqual([]);
    expect(await rowOf()).toEqual(before);

    await client.query(
      "update function_file set checksum = 'of another text' where path = 'accept/accept-messages.sql'",
    );
    await expect(Database.open({ url, poolSize: 1, applicationName: 'spec' })).rejects.toThrow(/not migrated/);
    expect(await migrateDatabase(url)).toEqual([expect.stringContaining('SQL functions')]);
    expect(await rowOf()).not.toEqual(before);
    await client.end();
    await drop();
  });

  test('that the user may not see are not said to be missing: the user has too few rights', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const role = `stranger_${new URL(url).pathname.slice(1)}`;
    await client.query(`create role ${role} login password 'spec'`);
    const theirs = Object.assign(new URL(url), { username: role, password: 'spec' }).href;
    const refusal = /^the user of the database at .* \(DATABASE_URL\) has too few rights: permission denied/;
    const applicationName = 'spec';
    await expect(Database.open({ url: theirs, poolSize: 1, applicationName })).rejects.toThrow(refusal);
    await expect(Database.openSingle({ url: theirs, applicationName })).rejects.toThrow(refusal);
    await client.query(`grant select on all tables in schema public to ${role}`);
    const theirDatabase = await Database.openSingle({ url: theirs, applicationName });
    const detail = 'the user of the database has no right to its tables (bullmq)';
    expect(await examineQueue({} as ServersInUse, theirDatabase)).toMatchObject([{ state: 'fail', detail }]);
    await theirDatabase.close();
    await client.query(`drop owned by ${role}; drop role ${role}`);
    await client.end();
    await drop();
  });

  test('of a newer version stay: an older program neither replaces them nor refuses to start', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("update function_file set checksum = 'of a newer text', version = '99.0.0'");
    expect(await migrateDatabase(url)).toEqual([]);
    expect((await client.query('select distinct version from function_file')).rows).toEqual([{ version: '99.0.0' }]);
    await (await Database.open({ url, poolSize: 1, applicationName: 'spec' })).close();
    await client.end();
    await drop();
  });
});
