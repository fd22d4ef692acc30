import { findRedisServer } from '../../scripts/redis/local-redis.js';

export const QUEUES = ['redis', 'postgres'] as const;
export type QueueBackEnd = (typeof QUEUES)[number];

/** Undefined: Redis when a server is on the PATH, else PostgreSQL. */
export function queueOr(asked: QueueBackEnd | undefined): QueueBackEnd {
  return asked ?? (findRedisServer() === undefined ? 'postgres' : 'redis');
}
