import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Worker } from 'bullmq';
import pg from 'pg';
import { loadConfig } from '#config';
import { carrierQueueName, consumerOptions, type DispatchJob, useQueueBackEnd } from '#queue';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { backEndSettings, openQueue, QUEUE_BACK_ENDS, type TestQueue } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

describe.each(QUEUE_BACK_ENDS)('a queue on %s whose server is away when it is first asked', (backEnd) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let away: TestQueue;

  beforeEach(async () => {
    database = await createTestDatabase();
    const { REDIS_URL } = await backEndSettings(backEnd);
    proxy = await TcpProxy.before(REDIS_URL ?? database.url);
    proxy.cut();
    away = await openQueue(
      REDIS_URL === undefined
        ? { DATABASE_URL: proxy.through(database.url) }
        : { DATABASE_URL: database.url, REDIS_URL: proxy.through(REDIS_URL) },
    );
  });
  afterEach(async () => {
    await away.close();
    await proxy.close();
    await database.drop();
  });

  test('takes jobs as soon as the server can be reached', async () => {
    await expect(away.queues.enqueue('one', 'interactive', [randomUUID()])).rejects.toThrow();
    await expect(away.queues.depthOf('one')).rejects.toThrow();
    proxy.mend();
    await eventually(async () => {
      await away.queues.enqueue('one', 'interactive', [randomUUID()]);
      expect((await away.queues.depthOf('one')).interactive).toBeGreaterThan(0);
    });
  });
});

const onRedis = testRedisUrl() === undefined ? test.skip : test;

describe('a producer whose Redis is slow at the start', () => {
  onRedis('reaches it as soon as it answers', async () => {
    const { REDIS_URL = '' } = await backEndSettings('redis');
    const { hostname, port } = new URL(REDIS_URL);
    const proxy = createServer((near) => {
      const far = connect(Number(port), hostname);
      let infos = 0;
      // ioredis asks for INFO before it takes a connection for ready. A second one gets no answer.
      near.on('data', (bytes) => {
        if (/\$4\r\ninfo\r\n/i.test(bytes.toString('latin1'))) infos += 1;
        if (infos < 2) far.write(bytes);
      });
      far.on('data', (bytes) => near.write(bytes));
      near.on('error', () => undefined).on('close', () => far.destroy());
      far.on('error', () => undefined).on('close', () => near.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const slow = new URL(REDIS_URL);
    slow.port = String((proxy.address() as AddressInfo).port);
    const { queues, close } = await openQueue({ REDIS_URL: slow.href });
    try {
      await eventually(() => queues.ping());
    } finally {
      await close();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    }
  });
});

describe('a consumer whose PostgreSQL takes no connections when it starts', () => {
  test('leaves its process time for everything else, and takes jobs as soon as the database is back', async () => {
    const database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const maintenance = new pg.Client({ connectionString: database.url.replace(name, 'postgres') });
    await maintenance.connect();
    const config = loadConfig({ DATABASE_URL: database.url });
    useQueueBackEnd(config);
    const taken: string[] = [];
    const errors: unknown[] = [];
    const queueName = carrierQueueName('one');
    let consumer: Worker<DispatchJob> | undefined;
    try {
      await maintenance.query(`alter database ${name} with allow_connections false`);
      consumer = new Worker<DispatchJob>(
        queueName,
        async ({ data }) => void taken.push(...data.ids),
        consumerOptions(config, queueName),
      );
      consumer.on('error', (error) => errors.push(error));
      // A loop without I/O would never let these timers run.
      await eventually(() => errors.length > 2);
      expect(errors.length).toBeLessThan(100);
      await maintenance.query(`alter database ${name} with allow_connections true`);
      const producer = await openQueue({ DATABASE_URL: database.url });
      const id = randomUUID();
      await producer.queues.enqueue('one', 'interactive', [id]);
      await eventually(() => taken.includes(id));
      await producer.close();
    } finally {
      await maintenance.query(`alter database ${name} with allow_connections true`);
      await maintenance.end();
      await consumer?.close(true);
      await database.drop();
    }
  });
});
