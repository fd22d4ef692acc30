import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { findRedisServer, type LocalRedis, startLocalRedis } from '../../scripts/redis/local-redis.js';
import { eventually } from '../support/eventually.js';
import { openQueue } from '../support/queue.js';

const program = findRedisServer();

// As everywhere: without a redis-server on the PATH this does not exist, and REQUIRE_REDIS=1 makes its lack a failure.
if (program !== undefined) {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function redisOfTest(further: Readonly<Record<string, string>> = {}) {
    const dir = mkdtempSync(join(tmpdir(), 'heliograph-redis-'));
    ends.push(() => rmSync(dir, { recursive: true, force: true }));
    const server = await startLocalRedis(program ?? '', dir, false, undefined, further);
    ends.push(() => server.stop());
    const client = new Redis(server.url);
    ends.push(() => client.disconnect());
    return { server, client };
  }

  const untilInStep = (client: Redis) =>
    eventually(async () => expect(await client.info('replication')).toContain('master_link_status:up'));

  async function follow(client: Redis, { port }: LocalRedis): Promise<void> {
    await client.replicaof('127.0.0.1', port);
    await untilInStep(client);
  }

  test('a master that was a replica meanwhile may lack jobs, and is told once', async () => {
    const one = await redisOfTest();
    const other = await redisOfTest({
      '--replicaof': `127.0.0.1 ${one.server.port}`,
      '--repl-diskless-sync-delay': '0',
    });
    await untilInStep(other.client);
    const { queues, close } = await openQueue({ REDIS_URL: one.server.url });
    ends.push(close);
    expect([await queues.hasLostEverything(), await queues.hasLostEverything()]).toEqual([true, false]);

    await eventually(async () => expect(await other.client.keys('*in-use')).toHaveLength(1));
    // A failover and one back: neither server was started again.
    await other.client.replicaof('NO', 'ONE');
    await follow(one.client, other.server);
    await one.client.replicaof('NO', 'ONE');
    expect([await queues.hasLostEverything(), await queues.hasLostEverything()]).toEqual([true, false]);
  });
}
