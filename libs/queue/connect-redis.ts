import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisPlace } from '#config';

/** Longest pause between two attempts to reach a server again. */
const RECONNECT_PAUSE_MAX_MS = 2_000;
const SENTINEL_CONNECT_TIMEOUT_MS = 2_000;
const SENTINEL_COMMAND_TIMEOUT_MS = 2_000;
const SLOTS_REFRESH_TIMEOUT_MS = 2_000;
/** How often the map of slots is read without a redirection that asks for it. */
const SLOTS_REFRESH_EVERY_MS = 10_000;

/**
 * The options that reach the server that the Sentinels call master. The client asks the Sentinels at every connection,
 * so it follows a failover by reconnecting. It also leaves a master that has become a replica meanwhile (READONLY).
 */
function sentinelOptions(place: Extract<RedisPlace, { kind: 'sentinel' }>, options: RedisOptions): RedisOptions {
  const tls = place.tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  return {
    ...options,
    retryStrategy: options.retryStrategy ?? reconnectPause,
    sentinels: place.addresses.map(({ host, port }) => ({ host, port })),
    name: place.master,
    db: place.database,
    ...login(place),
    ...(place.sentinelUsername !== undefined && { sentinelUsername: place.sentinelUsername }),
    ...(place.sentinelPassword !== undefined && { sentinelPassword: place.sentinelPassword }),
    ...tls,
    connectTimeout: Math.min(options.connectTimeout ?? SENTINEL_CONNECT_TIMEOUT_MS, SENTINEL_CONNECT_TIMEOUT_MS),
    sentinelCommandTimeout: SENTINEL_COMMAND_TIMEOUT_MS,
    sentinelRetryStrategy: options.retryStrategy ?? reconnectPause,
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
}

/**
 * A client of a cluster. The options of a single server apply to the connection to each node, `enableOfflineQueue` to
 * the cluster as a whole: without it commands fail at once while no node can be reached, but still wait for a node
 * whose connection is being made.
 */
function connectCluster(
  place: Extract<RedisPlace, { kind: 'cluster' }>,
  { enableOfflineQueue = true, lazyConnect = false, retryStrategy = reconnectPause, ...node }: RedisOptions,
): Cluster {
  const options: ClusterOptions = {
    lazyConnect,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: SLOTS_REFRESH_TIMEOUT_MS,
    slotsRefreshInterval: SLOTS_REFRESH_EVERY_MS,
    redisOptions: { ...node, ...login(place), ...(place.tls && { tls: {} }) },
    // Certificates contain host names, so the names that the nodes announce are kept (ioredis, "Running Behind TLS").
    ...(place.tls && { dnsLookup: (address, found) => found(null, address) }),
  };
  const nodes = place.addresses.map(({ host, port }) => ({ host, port }));
  const cluster = new Cluster(nodes, options);
  if (!enableOfflineQueue) {
    cluster.on('close', () => {
      cluster.options.enableOfflineQueue = false;
    });
    cluster.on('ready', () => {
      cluster.options.enableOfflineQueue = true;
    });
  }
  return cluster;
}

/**
 * A new client of a server, of a master behind Sentinels or of a cluster, as the URL says.
 *
 * @param options as of a single server; without a retryStrategy it reconnects for ever, with pauses of at most 2 s
 */
export function connectRedis(url: string, options: RedisOptions): Redis | Cluster {
  const place = parseRedisUrl(url);
  const isEncrypted = url.startsWith('rediss');
  if (place.kind === 'cluster') {
    const cluster = connectCluster(place, options);
    nameCause(cluster, isEncrypted);
    cluster.on('+node', endSocketTimeoutAtClose);
    return cluster;
  }
  const redis =
    place.kind === 'sentinel'
      ? new Redis(sentinelOptions(place, options))
      : new Redis(url, { retryStrategy: reconnectPause, ...options });
  nameCause(redis, isEncrypted);
  endSocketTimeoutAtClose(redis);
  endWithoutItsDatabase(redis);
  return redis;
}

/**
 * ioredis says of a cluster only that no node answered, and not what was wrong with them. A server that does not speak
 * TLS waits for the rest of the handshake, and one that does resets what is none: their words do not name TLS.
 */
function nameCause(client: Redis | Cluster, isEncrypted: boolean): void {
  client.on('error', (error: Error & { readonly lastNodeError?: Error }) => {
    if (error.lastNodeError !== undefined) error.message += ` ${error.lastNodeError.message}`;
    if (isEncrypted && /ETIMEDOUT|timed? ?out/.test(error.message)) {
      error.message += ': rediss:// needs a server that speaks TLS';
    } else if (!isEncrypted && client.status !== 'ready' && error.message.includes('ECONNRESET')) {
      error.message += ': a server that speaks TLS needs rediss://';
    }
  });
}

/**
 * ioredis starts the timer of `socketTimeout` with a command and stops it at the next byte, but not when the connection
 * closes. A timer that is left over ends the connection that comes next, and keeps a process that has finished alive.
 */
function endSocketTimeoutAtClose(redis: Redis): void {
  const timed = redis as unknown as { socketTimeoutTimer: NodeJS.Timeout | undefined };
  redis.on('close', () => {
    clearTimeout(timed.socketTimeoutTimer);
    timed.socketTimeoutTimer = undefined;
  });
}

/**
 * ioredis goes on with database 0, which may be another installation's, if the server refuses the one of the URL: it
 * has fewer, or the user may not select. Such a connection ends, and is tried again like one that was refused.
 */
function endWithoutItsDatabase(redis: Redis): void {
  redis.on('error', (error: Error & { readonly command?: { readonly name: string } }) => {
    if (error.command?.name === 'select') redis.disconnect(true);
  });
}

function login({
  username,
  password,
}: {
  readonly username: string | undefined;
  readonly password: string | undefined;
}) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

function reconnectPause(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_PAUSE_MAX_MS);
}
