import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { migrateQueue, type QueueBackEnd } from '#queue';
import { startEmbeddedPostgres } from '../../scripts/postgres/embedded-postgres.js';
import { backEndSettings, openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';

/** A server with a queue, that may lose its jobs. */
interface Server {
  readonly settings: Record<string, string>;
  loseJobs(): Promise<void>;
  stop(): Promise<void>;
}

const SERVERS: Readonly<Record<QueueBackEnd, () => Promise<Server>>> = {
  async postgres() {
    const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-lost-jobs-'));
    let postgres = await startEmbeddedPostgres({ dataDir });
    await migrateQueue(postgres.url);
    return {
      settings: { DATABASE_URL: postgres.url },
      async loseJobs() {
        process.kill(postgres.pid, 'SIGKILL');
        await postgres.ended;
        postgres = await startEmbeddedPostgres({ dataDir, port: postgres.port });
      },
      async stop() {
        await postgres.stop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  },
  async redis() {
    const settings = await backEndSettings('redis');
    return {
      settings,
      async loseJobs() {
        const redis = new Redis(settings.REDIS_URL ?? '');
        await redis.flushdb();
        redis.disconnect();
      },
      stop: async () => undefined,
    };
  },
};

test.each(QUEUE_BACK_ENDS)('whoever asks first whether jobs were lost hears it, on %s', async (backEnd) => {
  const server = await SERVERS[backEnd]();
  const { queues, close } = await openQueue(server.settings);
  try {
    await queues.enqueue('one', [{ priority: 'interactive', ids: [randomUUID()] }]);
    // An empty Redis may have had jobs; a queue that the migrations have just made had none.
    expect(await queues.hasLostEverything()).toBe(backEnd === 'redis');
    expect(await queues.hasLostEverything()).toBe(false);
    await server.loseJobs();
    // Connections that the server's end broke have left the pool.
    expect(await queues.hasLostEverything()).toBe(true);
    expect(await queues.hasLostEverything()).toBe(false);
  } finally {
    await close();
    await server.stop();
  }
});
