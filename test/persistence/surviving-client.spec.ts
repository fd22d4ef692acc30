import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { SurvivingClient } from '#config';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a connection that is lost while nobody listens to it ends no process; the next statement on it fails', async () => {
  const pool = new pg.Pool({ connectionString: database.url, Client: SurvivingClient });
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
