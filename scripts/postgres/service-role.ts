import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Owns the database of the service, and has no other rights. */
const SERVICE_ROLE = 'heliograph_service';

export interface ServiceRole {
  /** The URL of the same database for that role. */
  readonly url: string;
  /** Whether the superuser owned the database until now, as in data folders of the previous version. */
  readonly wasHandedOver: boolean;
}

/**
 * The role of the service, instead of the superuser, who could read files of the server and run programs on it. The
 * first start makes it; `dataDir/service-password` keeps its password for its owner only.
 *
 * @param superuserUrl of the database that the service will own
 */
export async function provideServiceRole(superuserUrl: string, dataDir: string): Promise<ServiceRole> {
  const url = new URL(superuserUrl);
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const password = await ensureRole(client, join(dataDir, 'service-password'));
    const wasHandedOver = await handOver(client);
    url.username = SERVICE_ROLE;
    url.password = password;
    return { url: url.href, wasHandedOver };
  } finally {
    await client.end();
  }
}

async function ensureRole(client: pg.Client, file: string): Promise<string> {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const found = await client.query('select from pg_roles where rolname = $1', [SERVICE_ROLE]);
  if (kept !== '' && found.rowCount === 1) return kept;
  const password = kept || randomBytes(18).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  const verb = found.rowCount === 1 ? 'alter' : 'create';
  const rights = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
  await client.query(`${verb} role ${SERVICE_ROLE} ${rights} password ${client.escapeLiteral(password)}`);
  return password;
}

/** One transaction, so that an interrupted start leaves no object with the superuser. */
async function handOver(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ owner: string; name: string; tables: number }>(
    `select pg_get_userbyid(datdba) as owner, current_database() as name,
            (select count(*)::integer from pg_class where relname = 'schema_migration') as tables
       from pg_database where datname = current_database()`,
  );
  const [database] = rows;
  if (database === undefined || database.owner === SERVICE_ROLE) return false;
  const statements = await client.query<{ statement: string }>(OWNED_BY_CURRENT_ROLE);
  await client.query('begin');
  try {
    for (const { statement } of statements.rows) await client.query(`${statement} owner to ${SERVICE_ROLE}`);
    await client.query(`alter database ${client.escapeIdentifier(database.name)} owner to ${SERVICE_ROLE}`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  return database.tables > 0;
}

/**
 * The objects that a role made itself, although it owns the system's objects too (REASSIGN OWNED refuses for it), as
 * the beginnings of statements. Indexes, triggers and the sequences of identity columns follow their tables.
 */
const OWNED_BY_CURRENT_ROLE = `
  with mine as (select oid from pg_roles where rolname = current_user),
       schemas as (select oid, nspname, nspowner from pg_namespace
                    where nspname !~ '^pg_' and nspname <> 'information_schema')
  select format('alter schema %I', s.nspname) as statement
    from schemas s where s.nspowner = (select oid from mine)
  union all
  select format('alter %s %s',
                case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
                c.oid::regclass)
    from pg_class c join schemas s on s.oid = c.relnamespace
   where c.relowner = (select oid from mine) and c.relkind in ('r', 'p', 'v', 'm', 'S')
     and not (c.relkind = 'S' and exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')))
  union all
  select format('alter routine %s', p.oid::regprocedure)
    from pg_proc p join schemas s on s.oid = p.pronamespace
   where p.proowner = (select oid from mine)
  union all
  select format('alter type %s', t.oid::regtype)
    from pg_type t join schemas s on s.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
   where t.typowner = (select oid from mine)
     and (t.typtype in ('d', 'e', 'r') or (t.typtype = 'c' and c.relkind = 'c'))`;
