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
import { type Config, IDLE_CONNECTION_MS, parseRedisUrl, SurvivingClient, sessionDatabaseUrl } from '#config';
import { connectRedis } from './connect-redis.js';
import { createLastingPostgresBackend } from './postgres-backend.js';
import type { SharedPoolConfig } from './shared-pools.js';

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

/** The connection that BullMQ passes on to `bullClient`. */
interface BullConnection extends RedisOptions {
  readonly url?: string;
  readonly skipVersionCheck?: boolean;
}

/**
 * Makes BullMQ's clients of Redis. BullMQ itself can only make a client of a single server, and its pauses between
 * attempts to reconnect grow to 20 s.
 */
function bullClient({ url, host, port, retryStrategy, ...options }: BullConnection): IRedisClient {
  if (url === undefined) throw new Error('a queue needs the URL of its Redis');
  const client = connectRedis(url, options);
  // BullMQ stops listening when it closes. ioredis prints an error that comes after that, unless somebody listens.
  client.on('error', () => undefined);
  return createIORedisClient(client);
}

/** Producers fail at once when the queue is away, and the orders wait in the backlogs; consumers wait for the queue. */
type QueueRole = 'producer' | 'consumer';

/**
 * A connection on which a command has no answer by then is dead; the client drops it and connects again. The longest
 * command is a consumer's blocking read, which BullMQ ends after 10 s. An idle connection has no command and stays.
 */
const SOCKET_TIMEOUT_MS = 30_000;

/** Connections of a process to PostgreSQL for all its queues, beside those on which consumers hear of jobs. */
const CONNECTIONS_MAX = { producer: 4, consumer: 6 } as const satisfies Record<QueueRole, number>;

/** Connection and key space of a queue. */
export function queueOptions(config: Config, role: QueueRole, queueName: string): QueueOptions {
  if (config.REDIS_URL === undefined) {
    const connection = {
      // BullMQ listens, and has a search_path of its own: neither lasts behind a connection pooler.
      connectionString: sessionDatabaseUrl(config),
      schema: QUEUE_SCHEMA,
      application_name: `heliograph-queue-${role}`,
      max: CONNECTIONS_MAX[role],
      Client: SurvivingClient,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      statement_timeout: 10_000,
      // A query on a connection that died silently gets no answer: it fails, and the pool drops the connection.
      query_timeout: 15_000,
    };
    return { connection: connection satisfies SharedPoolConfig as unknown as QueueOptions['connection'] };
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
  // BullMQ asks a new connection for its version and keeps that answer. If a producer's came late, all its calls would
  // fail until the process is started again. Consumers, whose commands may take any time, look at the version.
  const skipVersionCheck = role === 'producer';
  return {
    prefix: place.kind === 'cluster' ? `{heliograph:${queueName}}` : PREFIX,
    connection: { url: config.REDIS_URL, skipVersionCheck, ...options } satisfies BullConnection as ConnectionOptions,
  };
}

/**
 * The prefix of all keys, since the first version, so that an upgrade finds its jobs. In a cluster each queue has a
 * prefix of its own: the tag in the braces decides the slot, BullMQ needs all keys of a queue in one slot, and the
 * carriers' queues spread over the nodes.
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

/**
 * How long a job stays with a worker that is silent, and how often other workers look for such jobs. If the answer that
 * hands out a job is lost, no worker has the job; with BullMQ's 30 s for both its orders would wait for up to a minute.
 * A job that is taken over too early costs a look at orders that another worker has.
 */
export const CONSUMER_TIMES = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  /** How often a job may be taken over from a worker that died with it. */
  maxStalledCount: 20,
  /**
   * After PostgreSQL has refused a connection. With BullMQ's 15 s a worker took no job for so long after the database
   * was started again.
   */
  runRetryDelay: 1_000,
} as const satisfies Partial<WorkerOptions>;

/** Everything that BullMQ needs for a consumer of a queue, its connection included. */
export function consumerOptions(config: Config, queueName: string): WorkerOptions {
  return { ...queueOptions(config, 'consumer', queueName), ...CONSUMER_TIMES };
}
