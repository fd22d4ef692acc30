import {
  type ConnectionOptions,
  createIORedisClient,
  type IRedisClient,
  type QueueOptions,
  RedisConnection,
  runMigrations,
  setDefaultBackendFactory,
  type WorkerOptions,
} from 'bullmq';
import type { RedisOptions } from 'ioredis';
import pg from 'pg';
import { type Config, parseRedisUrl, SurvivingClient, sessionDatabaseUrl } from '#config';
import { connectRedis } from './connect-redis.js';
import { createLastingPostgresBackend } from './postgres-backend.js';

export type QueueBackEnd = 'redis' | 'postgres';

/** Which back end the settings ask for: Redis where there is one, PostgreSQL otherwise. */
export function queueBackEnd(config: Config): QueueBackEnd {
  return config.REDIS_URL === undefined ? 'postgres' : 'redis';
}

/**
 * Makes BullMQ use the configured back end. @nestjs/bullmq builds its queues with two arguments, so the choice can only
 * be made for the whole process, before the application is built.
 */
export function useQueueBackEnd(config: Config): void {
  if (queueBackEnd(config) === 'postgres') setDefaultBackendFactory(createLastingPostgresBackend);
  else setDefaultBackendFactory();
  RedisConnection.clientFactory = bullClient;
}

/** What BullMQ is told of a Redis, and hands back to `bullClient`. */
interface BullConnection extends RedisOptions {
  readonly url?: string;
}

/**
 * BullMQ makes a client from options for a single server only; of a cluster it has to be given one. Its own pauses between
 * attempts to reconnect grow to 20 s; ours do not.
 */
function bullClient({ url, host, port, retryStrategy, ...options }: BullConnection): IRedisClient {
  if (url === undefined) throw new Error('a queue needs the URL of its Redis');
  return createIORedisClient(connectRedis(url, options));
}

/** Producers give up at once when the queue is away (the orders wait in the backlogs); consumers wait for it. */
export type QueueRole = 'producer' | 'consumer';

/**
 * A command that has no answer by then stands on a dead connection, which is dropped and made anew. The longest command
 * is a consumer's blocking read, which BullMQ ends after 10 s; an idle connection has no command and is left alone.
 */
const SOCKET_TIMEOUT_MS = 30_000;

/**
 * Connection and key space of a queue.
 *
 * @param connectionsMax of a consumer to PostgreSQL, beside the one on which it hears of jobs
 */
export function queueOptions(
  config: Config,
  role: QueueRole,
  queueName: string,
  connectionsMax?: number,
): QueueOptions {
  if (config.REDIS_URL === undefined) {
    const connection = {
      // BullMQ listens, and has a search_path of its own: neither lasts behind a connection pooler.
      connectionString: sessionDatabaseUrl(config),
      schema: QUEUE_SCHEMA,
      application_name: `heliograph-queue-${role}`,
      max: role === 'producer' ? 2 : (connectionsMax ?? 6),
      Client: SurvivingClient,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 10_000,
      // A connection that has died without a word answers nothing: its query fails, and the pool lets it go.
      query_timeout: 15_000,
    };
    return { connection: connection as unknown as QueueOptions['connection'] };
  }
  const place = parseRedisUrl(config.REDIS_URL);
  const options: RedisOptions = {
    connectTimeout: 5_000,
    keepAlive: 10_000,
    socketTimeout: SOCKET_TIMEOUT_MS,
    ...(role === 'producer'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 2_000 }
      : { maxRetriesPerRequest: null }),
  };
  return {
    prefix: place.kind === 'cluster' ? `{heliograph:${queueName}}` : PREFIX,
    connection: { url: config.REDIS_URL, ...options } satisfies BullConnection as ConnectionOptions,
  };
}

/**
 * Of all keys, and since the first version, so that an upgrade finds its jobs. BullMQ needs all keys of a queue in one slot
 * of a cluster, which the tag in the braces decides; there each queue has its own, so that carriers' queues spread over the nodes.
 */
const PREFIX = '{heliograph}';

/** Where BullMQ keeps its tables. */
const QUEUE_SCHEMA = 'bullmq';

/** Creates or updates the queue's tables. Needed for the PostgreSQL back end; harmless beside Redis. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    // A role may have a bound for ordinary statements.
    options: '-c statement_timeout=0',
  });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}

/** How often a job may be taken over from a worker that died with it. */
const STALLED_MAX = 20;
/**
 * How long a job stays with a worker that is not heard of, and how often somebody looks for such jobs. What a queue handed out while
 * its answer got lost belongs to nobody, so with BullMQ's 30 s for either its orders would wait for up to a minute. Taken over
 * too early it costs a look at orders that others have.
 */
const LOCK_MS = 15_000;
const STALLED_EVERY_MS = 5_000;
/** Connections of one consumer to PostgreSQL, beside the one on which it hears of jobs. */
const CONSUMER_CONNECTIONS_MAX = 3;

/** What a consumer of a queue is told, its connection included. */
export function consumerOptions(config: Config, queueName: string): WorkerOptions {
  return {
    ...queueOptions(config, 'consumer', queueName, CONSUMER_CONNECTIONS_MAX),
    maxStalledCount: STALLED_MAX,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_EVERY_MS,
  };
}
