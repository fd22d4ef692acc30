import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { SurvivingClient } from '#config';
import { Database } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a connection that is lost while nobody listens to it ends no process; the next statement on it fails', async () => {
  const pool = new pg.Pool({ connectionString: database.url, Client: SurvivingClient });
  // `end` does not wait until the server has ended the sessions: the drop of the database may still tell them so.
  pool.on('error', () => undefined);
  const taken = await pool.connect();
  try {
    const { rows } = await taken.query<{ pid: number }>('select pg_backend_pid() as pid');
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await eventually(async () => {
      const answer = await taken.query('select 1').then(
        () => 'answered',
        () => 'lost',
      );
      expect(answer).toBe('lost');
    });
    expect((await pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
  } finally {
    taken.release(true);
    await pool.end();
  }
});

test('a statement that the server refuses costs no connection; one whose session has ended does', async () => {
  const holder = new pg.Client({ connectionString: database.url });
  const session = await Database.open({ url: database.url, poolSize: 1, applicationName: 'spec' });
  const pidOf = async () => (await session.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
  try {
    await holder.connect();
    await holder.query("begin; select pg_advisory_xact_lock(hashtext('spec'))");
    const pid = await pidOf();
    await session.query("select set_config('lock_timeout', '10ms', false)");
    await expect(session.query("select pg_advisory_xact_lock(hashtext('spec'))")).rejects.toMatchObject({
      code: '55P03',
    });
    await expect(session.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await pidOf()).toBe(pid);
    await expect(session.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
    expect(await pidOf()).not.toBe(pid);
  } finally {
    await holder.end();
    await session.close();
  }
});
