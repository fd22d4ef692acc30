import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { consume, openQueue } from '../support/queue.js';

const CARRIERS = Array.from({ length: 12 }, (_, index) => `c${index}`);
let database: TestDatabase;
let watching: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  watching = new pg.Client({ connectionString: database.url, application_name: 'watching' });
  await watching.connect();
});
afterAll(async () => {
  await watching.end();
  await database.drop();
});

/** Sessions of the database by the name of their application. */
async function sessions(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await watching.query<{ name: string; count: number }>(
    `select application_name as name, count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name <> 'watching' and backend_type = 'client backend'
      group by 1`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

test('the queues of a process share their connections to PostgreSQL, however many carriers there are', async () => {
  const settings = { DATABASE_URL: database.url };
  const producer = await openQueue(settings);
  const consumers = CARRIERS.map((carrier) => consume(carrier, settings));
  const ids = CARRIERS.map(() => Array.from({ length: 40 }, () => randomUUID()));
  const enqueue = (of: readonly string[], index: number) =>
    producer.queues.enqueue(CARRIERS[index] ?? '', 'interactive', of, 2);
  await Promise.all(ids.map(enqueue));
  await eventually(() => consumers.every((consumer, index) => consumer.ids.length === ids[index]?.length));
  for (const [index, consumer] of consumers.entries()) expect(consumer.ids.sort()).toEqual(ids[index]?.sort());

  const open = await sessions();
  expect(open.get('heliograph-queue-producer')).toBeLessThanOrEqual(4);
  expect(open.get('heliograph-queue-consumer')).toBeLessThanOrEqual(6);
  // Each consumer hears of jobs on a connection that has its queue's name.
  expect(CARRIERS.map((carrier) => open.get(`carrier-${carrier}`))).toEqual(CARRIERS.map(() => 1));

  const [first, ...others] = consumers;
  await first?.close();
  const late = randomUUID();
  await producer.queues.enqueue('c1', 'interactive', [late]);
  await eventually(() => others[0]?.ids.includes(late) === true);
  await Promise.all(others.map((consumer) => consumer.close()));
  await producer.close();
  await eventually(async () => (await sessions()).size === 0);
});
