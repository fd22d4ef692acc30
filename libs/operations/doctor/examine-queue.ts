import type { Cluster, Redis } from 'ioredis';
import { parseRedisUrl, type RedisPlace, redisUrlProblem, redisWords } from '#config/light';
import type { Database } from '#persistence';
import { withinMs } from '#timing';
import type { Finding, ServersInUse } from './finding.js';

const CONNECT_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;
/** The client of a cluster waits for a node that hangs, and neither of the bounds above ends that. */
const ANSWER_TIMEOUT_MS = 15_000;

/** Whether the queue can be used: Redis if it is set, else the tables in the database. */
export async function examineQueue({ redisUrl }: ServersInUse, database: Database | undefined): Promise<Finding[]> {
  if (redisUrl !== undefined) return examineRedis(redisUrl);
  if (database === undefined) return [];
  // information_schema hides what the user has no right to.
  const [row] = await database.query<{ is_there: boolean; may_use: boolean }>(
    `select exists (select from pg_class where relnamespace = n.oid) as is_there,
            has_schema_privilege(n.oid, 'usage') as may_use
       from pg_namespace n where nspname = 'bullmq'`,
  );
  if (row?.is_there === true && !row.may_use) {
    return [{ check: 'queue', state: 'fail', detail: 'the user of the database has no right to its tables (bullmq)' }];
  }
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
  // Loaded only here: it takes longer to load than most commands take to run.
  const { connectRedis } = await import('#queue');
  const problem = redisUrlProblem(redisUrl);
  if (problem !== undefined) return [{ check: 'queue', state: 'fail', detail: problem }];
  const redis = connectRedis(redisUrl, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The command throws the reason as well.
  let reason: string | undefined;
  redis.on('error', (error: Error) => {
    reason = error.message || error.name;
  });
  try {
    return [await withinMs(answerOf(redis, parseRedisUrl(redisUrl)), ANSWER_TIMEOUT_MS)];
  } catch (error) {
    const detail = `Redis cannot be reached: ${reason ?? (error instanceof Error ? error.message : String(error))}`;
    return [{ check: 'queue', state: 'fail', detail }];
  } finally {
    redis.disconnect();
  }
}

async function answerOf(redis: Redis | Cluster, place: RedisPlace): Promise<Finding> {
  await redis.connect();
  const servers = redis.isCluster ? (redis as Cluster).nodes('master') : [redis as Redis];
  const policies = await Promise.all(servers.map(maxmemoryPolicy));
  // Any other policy may drop jobs; the reconciler would put their messages back into the backlogs, but late.
  const unsafe = policies.find((policy) => policy !== undefined && policy !== 'noeviction');
  const words = place.kind === 'single' ? 'Redis answers' : `Redis answers (${redisWords(place)})`;
  const refusal = await refusalOfWrites(redis);
  if (refusal !== undefined)
    return { check: 'queue', state: 'fail', detail: `${words}, but takes no jobs: ${refusal}` };
  return {
    check: 'queue',
    state: unsafe === undefined ? 'ok' : 'warn',
    detail: unsafe === undefined ? words : `${words}, but maxmemory-policy is ${unsafe}: set noeviction`,
  };
}

/** Why the server takes no jobs, if it does not: no memory, no disk, no rights, a replica. It writes nothing. */
async function refusalOfWrites(redis: Redis | Cluster): Promise<string | undefined> {
  const key = redis.isCluster ? '{heliograph:feeder}:doctor' : '{heliograph}:doctor';
  try {
    await redis.eval(`return redis.call('setrange', KEYS[1], 0, '')`, 1, key);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    return error.message.replace(/ script: .*$/s, '');
  }
}

async function maxmemoryPolicy(server: Redis): Promise<string | undefined> {
  return /maxmemory_policy:(\S+)/.exec(await server.info('memory'))?.[1];
}
