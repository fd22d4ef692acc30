import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { backEndSettings, openQueue, QUEUE_BACK_ENDS, type TestQueue } from '../support/queue.js';
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
    await expect(away.queue.enqueue([{ ids: [randomUUID()] }])).rejects.toThrow();
    await expect(away.queue.depth()).rejects.toThrow();
    proxy.mend();
    await eventually(async () => {
      await away.queue.enqueue([{ ids: [randomUUID()] }]);
      expect((await away.queue.depth()).waiting).toBeGreaterThan(0);
    });
  });
});
