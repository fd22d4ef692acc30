import { Redis } from 'ioredis';

/**
 * The Redis database that the running spec has to itself: Jest's workers each run one spec at a time and have one
 * database each. Undefined when the suite runs without Redis.
 */
export function testRedisUrl(): string | undefined {
  const server = process.env.TEST_REDIS_URL;
  if (!server) return undefined;
  const url = new URL(server);
  url.pathname = `/${process.env.JEST_WORKER_ID ?? '1'}`;
  return url.href;
}

/** Empties that database; what an earlier spec left there is gone. */
export async function clearTestRedis(): Promise<void> {
  const url = testRedisUrl();
  if (url === undefined) return;
  const redis = new Redis(url);
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}
