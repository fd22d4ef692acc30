import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './database.js';

describe('a spec has its database to itself', () => {
  const databases: TestDatabase[] = [];
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop();
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

  test('what one spec writes another does not see', async () => {
    databases.push(await createTestDatabase(), await createTestDatabase());
    const [mine, other] = databases.map(({ url }) => url) as [string, string];
    await query(mine, 'CREATE TABLE trace_of_a_spec (id int)');
    const find = "SELECT to_regclass('trace_of_a_spec') IS NOT NULL AS present";
    expect(await query(mine, find)).toEqual([{ present: true }]);
    expect(await query(other, find)).toEqual([{ present: false }]);
  });

  test('a dropped database is gone even while a session is open', async () => {
    const database = await createTestDatabase();
    const session = new pg.Client({ connectionString: database.url });
    session.on('error', () => undefined);
    await session.connect();
    await database.drop();
    await expect(query(database.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
    await session.end();
  });
});
