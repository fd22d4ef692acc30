import { createPostgresBackend, type QueueOptions, runMigrations, setDefaultBackendFactory } from 'bullmq';
import pg from 'pg';
import { type Config, requireDatabaseUrl } from '#config';

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
  if (queueBackEnd(config) === 'postgres') setDefaultBackendFactory(createPostgresBackend);
  else setDefaultBackendFactory();
}

/** Producers give up at once when the queue is away (the sweeper offers the orders later); consumers wait for it. */
export type QueueRole = 'producer' | 'consumer';

/**
 * A command that has no answer by then stands on a dead connection, which is dropped and made anew. The longest command
 * is a consumer's blocking read, which BullMQ ends after 10 s; an idle connection has no command and is left alone.
 */
const SOCKET_TIMEOUT_MS = 30_000;

/**
 * Connection and key space of the queue.
 *
 * @param connectionsMax of a consumer to PostgreSQL, beside the one on which it hears of jobs
 */
export function queueOptions(config: Config, role: QueueRole, connectionsMax?: number): QueueOptions {
  if (config.REDIS_URL === undefined) {
    const connection = {
      connectionString: requireDatabaseUrl(config),
      schema: QUEUE_SCHEMA,
      application_name: `heliograph-queue-${role}`,
      max: role === 'producer' ? 2 : (connectionsMax ?? 6),
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 10_000,
    };
    return { connection: connection as unknown as QueueOptions['connection'] };
  }
  return {
    // The braces are a hash tag: all keys of the queue lie in one slot of a Redis Cluster.
    prefix: '{heliograph}',
    connection: {
      url: config.REDIS_URL,
      connectTimeout: 5_000,
      keepAlive: 10_000,
      socketTimeout: SOCKET_TIMEOUT_MS,
      ...(role === 'producer'
        ? { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 2_000 }
        : { maxRetriesPerRequest: null }),
    },
  };
}

/** Where BullMQ keeps its tables. */
const QUEUE_SCHEMA = 'bullmq';

/** Creates or updates the queue's tables. Needed for the PostgreSQL back end; harmless beside Redis. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}
