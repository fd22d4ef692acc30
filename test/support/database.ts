import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The migrated database that those of the specs are copied from. */
const TEMPLATE = 'heliograph_template';

export interface TestDatabase {
  readonly url: string;
  /** Ends the sessions that are left and removes the database. */
  drop(): Promise<void>;
}

/** A migrated, otherwise empty database that one spec has to itself. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `spec_${randomUUID().replaceAll('-', '')}`;
  // The usual way writes each block to the log as well, twice the work. This one costs a checkpoint instead, cheap
  // without fsync, and takes along what a first session would have to build anew.
  await administer(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  return { url: urlOf(name), drop: () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** A database without any schema, for specs about the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = `spec_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${name}`);
  return { url: urlOf(name), drop: () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Builds the template; once per run, before the first spec. */
export async function createTemplate(migrate: (url: string) => Promise<unknown>): Promise<void> {
  await dropTemplate();
  await administer(`CREATE DATABASE ${TEMPLATE}`);
  await migrate(urlOf(TEMPLATE));
}

export function dropTemplate(): Promise<void> {
  return administer(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
}

let maintenance: pg.Pool | undefined;

/** One statement in the server's maintenance database. Its session stays: a new one costs more than most statements. */
async function administer(statement: string): Promise<void> {
  maintenance ??= maintenancePool();
  await maintenance.query(statement);
}

function maintenancePool(): pg.Pool {
  const options = { max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  const pool = new pg.Pool({ connectionString: urlOf('postgres'), ...options });
  pool.on('error', () => undefined);
  return pool;
}

function urlOf(database: string): string {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) throw new Error('TEST_DATABASE_URL is unset: run the specs with npm test');
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
