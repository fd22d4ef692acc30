import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrateAll } from '../../scripts/database/migrate-all.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/postgres/embedded-postgres.js';
import { provideServiceRole } from '../../scripts/postgres/service-role.js';

/** In every schema that is not the system's: who owns what. */
const OWNERS = `
  select distinct pg_get_userbyid(owner) as role from (
    select relowner as owner, relnamespace as schema from pg_class
    union all select proowner, pronamespace from pg_proc
    union all select typowner, typnamespace from pg_type
    union all select nspowner, oid from pg_namespace) as things
  join pg_namespace s on s.oid = schema
  where s.nspname !~ '^pg_' and s.nspname not in ('information_schema', 'public')
     or s.nspname = 'public' and pg_get_userbyid(owner) <> 'pg_database_owner'`;

describe('the role that npm start uses', () => {
  let dir: string;
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'heliograph-role-'));
    server = await startEmbeddedPostgres({ dataDir: dir, fsync: false });
    // As the version before left it: everything is the superuser's.
    await migrateAll(server.url);
    await query(server.url, "create type mood as enum ('calm'); create view calm as select 'calm'::mood as mood");
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function query(url: string, statement: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  test('gets everything that the superuser owned, once, and it is said once', async () => {
    const first = await provideServiceRole(server.url, dir);
    const second = await provideServiceRole(server.url, dir);
    expect([first.wasHandedOver, second.wasHandedOver]).toEqual([true, false]);
    expect(second.url).toBe(first.url);
    expect(await query(first.url, OWNERS)).toEqual([{ role: 'heliograph_service' }]);
    expect(statSync(join(dir, 'service-password')).mode & 0o077).toBe(0);
  });

  test('is enough to migrate, to change tables and to notice a restored database', async () => {
    const { url } = await provideServiceRole(server.url, dir);
    await query(url, "delete from schema_migration where name like 'FewerPasses%'");
    expect(await migrateAll(url)).toEqual([expect.stringMatching(/^Upgraded the database: /)]);
    await query(url, 'alter table account add column spec integer; alter table account drop column spec');
    const [identity] = await query(url, 'select * from current_database_identity()');
    expect(Object.values(identity as object)).not.toContain(null);
  });

  test.each([
    ['read a file of the server', "select pg_read_file('PG_VERSION')"],
    ['write a file of the server', "copy (select 1) to '/tmp/heliograph-role-spec'"],
    ['run a program on the server', "copy (select 1) to program 'true'"],
    ['make a superuser', 'create role another superuser'],
    ['change the server', "alter system set work_mem = '5MB'"],
  ])('cannot %s', async (_what, statement) => {
    const { url } = await provideServiceRole(server.url, dir);
    await expect(query(url, statement)).rejects.toThrow(/permission denied/);
  });
});
