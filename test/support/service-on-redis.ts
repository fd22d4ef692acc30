import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { TestService, type TestServiceOptions } from './service.js';

interface RedisServers {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * For the tests of a block: Redis servers of their own and one service with its queues on them. To be called where
 * hooks are registered; what it gives is there while the tests run.
 */
export function serviceOnRedis<Servers extends RedisServers>(
  startServers: (dir: string) => Promise<Servers>,
  options: Omit<TestServiceOptions, 'backEnd'>,
): { readonly redis: Servers; readonly service: TestService } {
  const running: { dir?: string; redis?: Servers; service?: TestService } = {};
  beforeAll(async () => {
    running.dir = mkdtempSync(join(tmpdir(), 'heliograph-redis-'));
    running.redis = await startServers(running.dir);
    const settings = { REDIS_URL: running.redis.url, ...options.settings };
    running.service = await TestService.start({ backEnd: 'postgres', ...options, settings });
  });
  afterAll(async () => {
    await running.service?.close();
    await running.redis?.stop();
    if (running.dir !== undefined) rmSync(running.dir, { recursive: true, force: true });
  });
  return {
    get redis() {
      return started(running.redis);
    },
    get service() {
      return started(running.service);
    },
  };
}

function started<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('asked for before the tests run');
  return thing;
}
