import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig, parseRedisUrl, redisWords } from '#config';
import { examineQueue } from '../../libs/operations/doctor/examine-queue.js';
import { findRedisServer } from '../../scripts/redis/local-redis.js';
import { RedisCluster } from '../../scripts/redis/redis-cluster.js';
import { runSmsctl } from '../smsctl/run-smsctl.js';
import { eventually } from '../support/eventually.js';
import { sendSingles } from '../support/send-singles.js';
import { serviceOnRedis } from '../support/service-on-redis.js';

const program = findRedisServer();
const OPERATOR_PASSWORD = 'correct horse battery';

describe('REDIS_URL leads to a cluster', () => {
  test.each([
    ['redis+cluster://a:1,b:2,c', 'cluster a:1,b:2,c:6379'],
    ['rediss+cluster://user:secret@a:7000', 'cluster a:7000'],
  ])('%s', (url, words) => {
    const place = parseRedisUrl(url);
    expect([place.kind, redisWords(place)]).toEqual(['cluster', words]);
    expect(loadConfig({ REDIS_URL: url }).REDIS_URL).toBe(url);
  });

  test.each([
    ['redis+cluster://a,b/3', 'REDIS_URL names a database, and a Redis Cluster has only one'],
    ['redis+cluster://u:%zz@a', 'REDIS_URL has a user, password or master name that is not percent-encoded'],
    ['redis+cluster://', 'REDIS_URL must be redis[s]://host:port'],
  ])('%s is refused in one line that names the setting', (url, words) => {
    const load = () => loadConfig({ REDIS_URL: url });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(words);
  });
});

// As everywhere: without a redis-server on the PATH this does not exist, and REQUIRE_REDIS=1 makes its lack a failure.
if (program !== undefined) {
  describe('with the queues on a Redis Cluster of three nodes', () => {
    const on = serviceOnRedis((dir) => RedisCluster.start(program, dir), {
      settings: { OPERATOR_PASSWORD },
      carrier: { bindCount: 2, windowSize: 5 },
      simulator: { latencyMs: 10 },
      workers: 2,
    });

    const operator = async (path: string): Promise<string> => {
      const authorization = `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`;
      const answer = await fetch(`http://127.0.0.1:${on.service.operatorPort}${path}`, { headers: { authorization } });
      expect(answer.status).toBe(200);
      return answer.text();
    };

    test('what is accepted is delivered, once, over the queue of its carrier, which is apart from the others', async () => {
      await on.service.sendMany(120);
      await on.service.send('46701234567', 'single');
      await on.service.untilStatuses({ delivered: 121 }, 100_000);
      expect(on.service.takenCopies).toBe(121);
      const keys = (await on.redis.each((node) => node.keys('*'))).flat();
      expect(keys).toContain('{heliograph:feeder}:feeder:meta');
      expect(keys).toContain('{heliograph:carrier-simulator}:carrier-simulator:meta');
    });

    test('the operator sees the queues: their depth, the board, and what the doctor says', async () => {
      await eventually(
        async () => {
          const metrics = await operator('/metrics/service');
          const waiting = metrics
            .split('\n')
            .find((line) => line.startsWith('heliograph_queue_jobs{state="interactive"'));
          expect(waiting).toMatch(/ 0$/);
        },
        { intervalMs: 200 },
      );
      const board = JSON.parse(await operator('/queues/api/queues')) as { queues: { name: string }[] };
      expect(board.queues.map(({ name }) => name)).toContain('carrier-simulator');
      const { stdout } = await runSmsctl(['doctor', '--json'], {
        DATABASE_URL: on.service.settings.DATABASE_URL ?? '',
        REDIS_URL: on.redis.url,
      });
      const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
      expect(checks.find(({ check }) => check === 'queue')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining('cluster 127.0.0.1'),
      });
    });

    test('everything that the cluster held may vanish while orders wait: all is delivered, each once', async () => {
      await sendSingles(on.service, 120);
      await on.service.simulator.records.until(({ submits }) => submits.length >= 140, 60_000);
      await on.redis.each((node) => node.flushall());
      await on.service.untilStatuses({ delivered: 241 }, 100_000);
      expect(on.service.takenCopies).toBe(241);
    });

    test('the doctor does not wait for a node that hangs, as one does whose machine is away', async () => {
      const pids = await on.redis.each(async (node) => Number(/process_id:(\d+)/.exec(await node.info('server'))?.[1]));
      const [pid = 0] = pids;
      const servers = { redisUrl: on.redis.url, replicaUrl: undefined, source: '', examiner: '' };
      process.kill(pid, 'SIGSTOP');
      try {
        const found = await Promise.race([examineQueue(servers, undefined), delay(30_000)]);
        expect(found).toEqual([
          { check: 'queue', state: 'fail', detail: expect.stringMatching(/^Redis cannot be reached/) },
        ]);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    }, 60_000);
  });
}
