import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '#config';
import { DISPATCH_QUEUE, type DispatchJob, QueueConsumer, useQueueBackEnd } from '#queue';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { backEndSettings, openQueue, QUEUE_BACK_ENDS, type TestQueue } from '../support/queue.js';
import { TcpProxy } from '../support/tcp-proxy.js';

describe.each(QUEUE_BACK_ENDS)('a consumer on %s', (backEnd) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let producer: TestQueue;
  let consumer: QueueConsumer<DispatchJob>;
  let settings: Record<string, string>;
  /** What jobs wait for before they end. */
  let held: Promise<void>;
  let release: () => void;
  const taken: string[] = [];

  beforeEach(async () => {
    taken.splice(0);
    held = Promise.resolve();
    release = () => undefined;
    database = await createTestDatabase();
    settings = { DATABASE_URL: database.url, ...(await backEndSettings(backEnd)) };
    producer = await openQueue(settings);
    const name = backEnd === 'redis' ? 'REDIS_URL' : 'DATABASE_URL';
    const url = settings[name] ?? '';
    proxy = await TcpProxy.before(url);
    const config = loadConfig({ ...settings, [name]: proxy.through(url) });
    useQueueBackEnd(config);
    consumer = new QueueConsumer(config, {
      queueName: DISPATCH_QUEUE,
      concurrency: 2,
      work: async ({ ids }) => {
        taken.push(...ids);
        await held;
      },
      onQueueError: () => undefined,
      onJobError: () => undefined,
    });
    consumer.start();
  });
  afterEach(async () => {
    proxy.cut();
    proxy.mend();
    release();
    await consumer.stop(5_000);
    await producer.close();
    await proxy.close();
    await database.drop();
  }, 30_000);

  test('whose connections have gone silent takes jobs again when it is made anew', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await producer.queue.enqueue([{ ids: [first] }]);
    await eventually(() => taken.includes(first), { timeoutMs: 20_000 });
    // Only then has it asked for the next job and been told that there is none.
    await eventually(() => consumer.idleMs > 500, { timeoutMs: 20_000 });
    proxy.swallow();
    await producer.queue.enqueue([{ ids: [second] }]);
    await eventually(() => consumer.idleMs > 2_000, { timeoutMs: 20_000 });
    expect(taken).toEqual([first]);
    expect(await producer.queue.readyJobs(undefined)).toBe(1);
    await consumer.restart();
    await eventually(() => taken.includes(second), { timeoutMs: 20_000 });
  }, 60_000);

  test('that is cut off with a job in hand loses it to another one within 25 s', async () => {
    held = new Promise((resolve) => {
      release = resolve;
    });
    const id = randomUUID();
    await producer.queue.enqueue([{ ids: [id] }]);
    await eventually(() => taken.includes(id), { timeoutMs: 20_000 });
    proxy.cut();
    const takenOver: string[] = [];
    const other = new QueueConsumer<DispatchJob>(loadConfig(settings), {
      queueName: DISPATCH_QUEUE,
      concurrency: 2,
      work: async ({ ids }) => void takenOver.push(...ids),
      onQueueError: () => undefined,
      onJobError: () => undefined,
    });
    other.start();
    await eventually(() => takenOver.includes(id), { timeoutMs: 25_000 });
    await other.stop(5_000);
  }, 60_000);

  test('tells for how long it had room and started no job', async () => {
    await eventually(() => consumer.idleMs > 300);
    await producer.queue.enqueue([{ ids: [randomUUID()] }]);
    await eventually(() => taken.length === 1, { timeoutMs: 20_000 });
    expect(consumer.idleMs).toBeLessThan(10_000);
    expect(consumer.startedJobs).toBe(1);
  }, 60_000);
});
