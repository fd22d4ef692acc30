import type { Environment } from './environment.js';
import { parseRedisUrl, redisWords } from './redis-url.js';

/** The setting that says where the queue is. */
export function queueSetting(config: Readonly<Environment>): keyof Environment {
  if (config.REDIS_URL !== undefined) return 'REDIS_URL';
  return config.DATABASE_DIRECT_URL === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
}

/** The queue's back end and place without secrets, e.g. `PostgreSQL` or `Redis at redis:6379/0`. */
export function queuePlace(redisUrl: string | undefined): string {
  if (redisUrl === undefined) return 'PostgreSQL';
  const place = parseRedisUrl(redisUrl);
  const words = redisWords(place);
  if (place.kind === 'cluster') return `Redis ${words}`;
  if (place.kind === 'sentinel') return `Redis at ${words}, database ${place.database}`;
  return `Redis at ${words}/${new URL(redisUrl).pathname.slice(1) || 0}`;
}
