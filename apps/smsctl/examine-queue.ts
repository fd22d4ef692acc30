import type { Database } from '#persistence';
import type { Finding } from './finding.js';
import type { Servers } from './locate-servers.js';

const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;

/** Whether the queue can be used: Redis where there is one, else its tables in the database. */
export async function examineQueue({ redisUrl }: Servers, database: Database | undefined): Promise<Finding[]> {
  if (redisUrl !== undefined) return examineRedis(redisUrl);
  if (database === undefined) return [];
  const [row] = await database.query<{ is_there: boolean }>(
    `select exists (select from information_schema.tables where table_schema = 'bullmq') as is_there`,
  );
  return row?.is_there === true
    ? [{ check: 'queue', state: 'ok', detail: 'in PostgreSQL' }]
    : [
        {
          check: 'queue',
          state: 'fail',
          detail: 'its tables are not in the database: run `node dist/scripts/migrate.js`',
        },
      ];
}

async function examineRedis(redisUrl: string): Promise<Finding[]> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // What went wrong is thrown by the command as well.
  let reason: string | undefined;
  redis.on('error', (error: Error) => {
    reason = error.message || error.name;
  });
  try {
    await redis.connect();
    await redis.ping();
    const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
    // Any other policy may drop jobs; the sweeper would bring them back, but late.
    const isSafe = policy === undefined || policy === 'noeviction';
    return [
      {
        check: 'queue',
        state: isSafe ? 'ok' : 'warn',
        detail: isSafe ? 'Redis answers' : `Redis answers, but maxmemory-policy is ${policy}: set noeviction`,
      },
    ];
  } catch (error) {
    const detail = `Redis cannot be reached: ${reason ?? (error instanceof Error ? error.message : String(error))}`;
    return [{ check: 'queue', state: 'fail', detail }];
  } finally {
    redis.disconnect();
  }
}
