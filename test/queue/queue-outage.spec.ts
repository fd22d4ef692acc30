import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Worker } from 'bullmq';
import { connectRedis } from '#queue';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { backEndSettings, CONSUMER_PLACES, consume, openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

describe.each(QUEUE_BACK_ENDS)('a queue on %s that is away', (backEnd) => {
  const sockets = new Set<Socket>();
  let server: Server;

  /** Takes connections and never answers, as a server does whose machine hangs. */
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const settingsFor = (port: number): Record<string, string> =>
    backEnd === 'redis'
      ? { REDIS_URL: `redis://127.0.0.1:${port}` }
      : { DATABASE_URL: `postgres://nobody:secret@127.0.0.1:${port}/none` };

  test.each(['refuses', 'hangs'])(
    'because its server %s, says so within seconds and brings nothing down',
    async (how) => {
      const address = server.address();
      const port = how === 'hangs' && typeof address === 'object' && address !== null ? address.port : 1;
      const away = await openQueue(settingsFor(port));
      const startMs = performance.now();
      const results = await Promise.allSettled([
        away.queues.enqueue('one', 'interactive', ids(1)),
        away.queues.enqueue('one', 'bulk', ids(500)),
        away.queues.depthOf('one'),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      // Two seconds are the bound; a busy machine takes its time. The libraries by themselves would wait for half a
      // minute.
      expect(performance.now() - startMs).toBeLessThan(10_000);
      for (const socket of sockets) socket.destroy();
      await away.close();
    },
  );
});

describe.each(QUEUE_BACK_ENDS)('a queue on %s that was used before its server went away', (backEnd) => {
  test('closes in order', async () => {
    const database = await createTestDatabase();
    const { REDIS_URL } = await backEndSettings(backEnd);
    const proxy = await TcpProxy.before(REDIS_URL ?? database.url);
    const { queues, close } = await openQueue(
      REDIS_URL === undefined
        ? { DATABASE_URL: proxy.through(database.url) }
        : { DATABASE_URL: database.url, REDIS_URL: proxy.through(REDIS_URL) },
    );
    try {
      await queues.enqueue('one', 'interactive', ids(1));
      await proxy.close();
      await eventually(() => expect(queues.ping()).rejects.toThrow());
      await close();
    } finally {
      await database.drop();
    }
  });
});

test('a consumer with full hands takes jobs at once when a PostgreSQL that was stopped is back', async () => {
  const database = await createTestDatabase();
  const proxy = await TcpProxy.before(database.url);
  const { queues, close } = await openQueue({ DATABASE_URL: database.url });
  const rests = jest.spyOn(Worker.prototype, 'delay');
  let release: () => void = () => undefined;
  const isAway = new Promise<void>((resolve) => {
    release = resolve;
  });
  const consumer = consume('one', { DATABASE_URL: proxy.through(database.url) }, () => isAway);
  try {
    for (const id of ids(CONSUMER_PLACES)) await queues.enqueue('one', 'interactive', [id]);
    await eventually(() => consumer.ids.length === CONSUMER_PLACES);
    const startAgain = await proxy.refuse();
    release();
    // It has met the refusal, and rests before it tries again.
    await eventually(() => rests.mock.calls.some(([restMs]) => restMs !== undefined));
    await startAgain();
    const [later = ''] = ids(1);
    await queues.enqueue('one', 'interactive', [later]);
    await eventually(() => consumer.ids.includes(later), { timeoutMs: 8_000 });
  } finally {
    rests.mockRestore();
    await consumer.close();
    await close();
    await proxy.close();
    await database.drop();
  }
});

test.each([
  ['rediss', 'hangs', (socket: Socket) => void socket, 'rediss:// needs a server that speaks TLS'],
  ['redis', 'hangs up', (socket: Socket) => void socket.resetAndDestroy(), 'a server that speaks TLS needs rediss://'],
])('a URL with %s for a Redis that then %s says what is wrong with it', async (scheme, _how, answer, words) => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const redis = connectRedis(`${scheme}://127.0.0.1:${port}`, { connectTimeout: 100, retryStrategy: () => null });
  try {
    const fault = await new Promise<Error>((resolve) => redis.once('error', resolve));
    expect(fault.message).toContain(words);
  } finally {
    redis.disconnect();
    server.close();
  }
});

const redisUrl = testRedisUrl();
if (redisUrl !== undefined) {
  test('a Redis that has not the database of its URL is away, and no other database is used', async () => {
    const faults: string[] = [];
    const redis = connectRedis(new URL('/99999', redisUrl).href, {});
    redis.on('error', ({ message }) => faults.push(message));
    try {
      const answer = redis.ping();
      answer.catch(() => undefined);
      const triedAgain = eventually(() => faults.length > 1).then(() => faults[0]);
      expect(await Promise.race([answer, triedAgain])).toContain('index');
    } finally {
      redis.disconnect();
    }
  });
}
