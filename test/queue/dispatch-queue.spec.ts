import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { JobLane } from '#queue';
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

describe.each(QUEUE_BACK_ENDS)('the queue of a carrier on %s', (backEnd) => {
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
    const consumer = consume('one', settings, work);
    consumers.push(consumer);
    return consumer;
  };
  const enqueue = (of: readonly string[], lane: JobLane = 'interactive') => producer.queues.enqueue('one', lane, of);
  const depth = () => producer.queues.depthOf('one');

  test('every order arrives, once, in jobs of at most 50: one job, a few, and many', async () => {
    const wanted = ids(720);
    await enqueue(wanted.slice(0, 1));
    await enqueue(wanted.slice(1, 220));
    await enqueue(wanted.slice(220));
    const consumer = consuming();
    await eventually(() => consumer.ids.length >= wanted.length);
    expect([...consumer.ids].sort()).toEqual([...wanted].sort());
    expect(Math.max(...consumer.jobs.map((job) => job.length))).toBeLessThanOrEqual(50);
  });

  test('interactive orders go before bulk ones that came earlier, and bulk ones that are promoted before both', async () => {
    const [bulk, promoted, interactive] = [ids(3), ids(1), ids(3)];
    await enqueue(promoted, 'bulk');
    for (const id of bulk) await enqueue([id], 'bulk');
    for (const id of interactive) await enqueue([id]);
    await producer.queues.promoteBulk('one', 1);
    const consumer = consuming();
    await eventually(() => consumer.ids.length === 7);
    expect(consumer.ids).toEqual([...promoted, ...interactive, ...bulk]);
  });

  test('the queues of two carriers are apart', async () => {
    const [other = ''] = ids(1);
    await producer.queues.enqueue('two', 'interactive', [other]);
    const [own = ''] = ids(1);
    await enqueue([own]);
    const consumer = consuming();
    await eventually(() => consumer.ids.includes(own));
    expect(await producer.queues.depthOf('two')).toMatchObject({ interactive: 1 });
    expect(consumer.ids).toEqual([own]);
  });

  test('its depth tells what waits, by priority, and what is worked on', async () => {
    expect(await depth()).toEqual({ interactive: 0, bulk: 0, delayed: 0, active: 0 });
    for (const id of ids(12)) await enqueue([id]);
    for (const id of ids(8)) await enqueue([id], 'bulk');
    expect(await depth()).toEqual({ interactive: 12, bulk: 8, delayed: 0, active: 0 });
    const held = gate();
    consuming(() => held.passed);
    await eventually(async () => expect(await depth()).toEqual({ interactive: 4, bulk: 8, delayed: 0, active: 8 }));
    held.open();
    await eventually(async () => expect(await depth()).toEqual({ interactive: 0, bulk: 0, delayed: 0, active: 0 }));
  });

  test('the feeder is woken by one job, however often it is called', async () => {
    for (let call = 0; call < 5; call += 1) await producer.queues.wakeFeeder();
    expect(await producer.queues.feeder.getJobCounts('waiting')).toEqual({ waiting: 1 });
  });

  test('what it stores of a job is ids and nothing that tells of a person', async () => {
    const wanted = ids(3);
    await enqueue(wanted);
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
