import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { DISPATCH_JOB_IDS_MAX, dispatchJobs } from '#queue';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import {
  backEndSettings,
  consume,
  openQueue,
  QUEUE_BACK_ENDS,
  type TestConsumer,
  type TestQueue,
} from '../support/queue.js';

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

/** A gate that work waits at until it is opened. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe('orders are cut into jobs', () => {
  test('of at most 50, in order, with none left out', () => {
    const all = ids(2 * DISPATCH_JOB_IDS_MAX + 1);
    const jobs = dispatchJobs([{ ids: all }]);
    expect(jobs.map(({ data }) => data.ids.length)).toEqual([DISPATCH_JOB_IDS_MAX, DISPATCH_JOB_IDS_MAX, 1]);
    expect(jobs.flatMap(({ data }) => data.ids)).toEqual(all);
    expect(dispatchJobs([])).toEqual([]);
  });

  test('whose ids say which orders they hold: an order that shares its job with others is not taken for a repeat', () => {
    const [one = '', other = '', third = ''] = ids(3);
    const idOf = (...orders: string[]) => dispatchJobs([{ ids: orders }])[0]?.jobId;
    expect(idOf(one)).toBe(one);
    expect(idOf(one, other)).toBe(idOf(one, other));
    expect(new Set([idOf(one), idOf(one, other), idOf(one, third), idOf(one, other, third)]).size).toBe(4);
  });
});

describe.each(QUEUE_BACK_ENDS)('the dispatch queue on %s', (backEnd) => {
  let database: TestDatabase;
  let settings: Record<string, string>;
  let producer: TestQueue;
  const consumers: TestConsumer[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    settings = { DATABASE_URL: database.url, ...(await backEndSettings(backEnd)) };
    producer = await openQueue(settings);
  });
  afterEach(async () => {
    for (const consumer of consumers.splice(0)) await consumer.close();
    await producer.close();
  });
  afterAll(() => database.drop());

  const consuming = (work?: () => Promise<void>) => {
    const consumer = consume(settings, work);
    consumers.push(consumer);
    return consumer;
  };

  test('every order that is announced arrives, once, in jobs of at most 50: one job, a few, and many', async () => {
    const wanted = ids(720);
    await producer.queue.enqueue([{ ids: wanted.slice(0, 1) }]);
    await producer.queue.enqueue([{ ids: wanted.slice(1, 220) }]);
    await producer.queue.enqueue([{ ids: wanted.slice(220) }]);
    const consumer = consuming();
    await eventually(() => consumer.ids.length >= wanted.length);
    expect([...consumer.ids].sort()).toEqual([...wanted].sort());
    expect(Math.max(...consumer.jobs.map((job) => job.length))).toBeLessThanOrEqual(50);
  });

  test('the same orders offered twice while they wait are one job; others beside them still arrive', async () => {
    const [one = '', other = ''] = ids(2);
    await producer.queue.enqueue([{ ids: [one] }]);
    await producer.queue.enqueue([{ ids: [one] }]);
    expect(await producer.queue.depth()).toEqual({ waiting: 1, active: 0 });
    await producer.queue.enqueue([{ ids: [one, other] }]);
    const consumer = consuming();
    await eventually(() => consumer.ids.includes(other));
    expect(consumer.ids.filter((id) => id === one)).toHaveLength(2);
  });

  test('while the job of an order is being worked on, the orders that are offered together with it arrive', async () => {
    const [busy = '', idle = '', more = ''] = ids(3);
    const held = gate();
    const consumer = consuming(() => (consumer.jobs.length === 1 ? held.passed : Promise.resolve()));
    await producer.queue.enqueue([{ ids: [busy, more] }]);
    await eventually(() => consumer.jobs.length === 1);
    await producer.queue.enqueue([{ ids: [busy, idle] }]);
    await eventually(() => consumer.ids.includes(idle));
    held.open();
  });

  test('an order may be offered again once its job is over', async () => {
    const [id = ''] = ids(1);
    const consumer = consuming();
    for (let round = 1; round <= 3; round += 1) {
      await producer.queue.enqueue([{ ids: [id] }]);
      await eventually(() => consumer.ids.length === round);
      await eventually(async () => expect(await producer.queue.depth()).toEqual({ waiting: 0, active: 0 }));
    }
  });

  test('its depth tells what waits and what is worked on', async () => {
    expect(await producer.queue.depth()).toEqual({ waiting: 0, active: 0 });
    for (const id of ids(20)) await producer.queue.enqueue([{ ids: [id] }]);
    expect(await producer.queue.depth()).toEqual({ waiting: 20, active: 0 });
    const held = gate();
    consuming(() => held.passed);
    await eventually(async () => expect(await producer.queue.depth()).toEqual({ waiting: 12, active: 8 }));
    held.open();
    await eventually(async () => expect(await producer.queue.depth()).toEqual({ waiting: 0, active: 0 }));
  });

  test('what it stores of a job is ids and nothing that tells of a person', async () => {
    const wanted = ids(3);
    await producer.queue.enqueue([{ ids: wanted }]);
    const values = backEnd === 'redis' ? await redisValues(settings.REDIS_URL ?? '') : await tableValues(database.url);
    const holding = values.filter((value) => JSON.stringify(value).includes(wanted[1] ?? ''));
    expect(holding.map((value) => (typeof value === 'string' ? JSON.parse(value) : value))).toEqual([{ ids: wanted }]);
  });
});

/** Every value that Redis stores, taken apart. */
async function redisValues(url: string): Promise<unknown[]> {
  const redis = new Redis(url);
  try {
    const values: unknown[] = [];
    for (const key of await redis.keys('*')) {
      values.push(key);
      const type = await redis.type(key);
      if (type === 'hash') values.push(...Object.entries(await redis.hgetall(key)).flat());
      else if (type === 'list') values.push(...(await redis.lrange(key, 0, -1)));
      else if (type === 'zset') values.push(...(await redis.zrange(key, 0, -1)));
      else if (type === 'set') values.push(...(await redis.smembers(key)));
      else if (type === 'stream') values.push(...(await redis.xrange(key, '-', '+')).flat(2));
      else if (type === 'string') values.push(await redis.get(key));
    }
    return values;
  } finally {
    redis.disconnect();
  }
}

/** Every value in the tables of BullMQ. */
async function tableValues(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'bullmq' and table_type = 'BASE TABLE'",
    );
    const values: unknown[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from bullmq."${name}"`);
      values.push(...rows.flatMap((row) => Object.values(row)));
    }
    return values;
  } finally {
    await client.end();
  }
}
