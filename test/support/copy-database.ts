import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { TestDatabase } from './database.js';

/**
 * Copies a database as it is at this moment, like a dump that is restored beside it. Its sessions are ended for the
 * copy, so whoever uses it has to get over that.
 */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  const source = new URL(url).pathname.slice(1);
  const name = `spec_${randomUUID().replaceAll('-', '')}`;
  await administer(url, [
    `alter database ${source} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${source}'`,
    // A session may take a moment to end; this waits for it, for up to 5 seconds.
    `create database ${name} template ${source}`,
    `alter database ${source} allow_connections true`,
  ]);
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return { url: copy.href, drop: () => administer(url, [`drop database if exists ${name} with (force)`]) };
}

async function administer(url: string, statements: readonly string[]): Promise<void> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
