import { bareHost } from './bare-host.js';

/** One address of a Redis, a Sentinel or a node of a cluster. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Whether connections are encrypted, those to Sentinels included. */
  readonly tls: boolean;
}

/** Where the queue's Redis is: one server, the master that the Sentinels name, or a cluster. */
export type RedisPlace =
  | { readonly kind: 'single'; readonly url: string; readonly addresses: readonly RedisAddress[] }
  | ({
      readonly kind: 'sentinel';
      readonly addresses: readonly RedisAddress[];
      /** The name under which the Sentinels know the master. */
      readonly master: string;
      readonly database: number;
      readonly sentinelUsername: string | undefined;
      readonly sentinelPassword: string | undefined;
    } & Login)
  | ({ readonly kind: 'cluster'; readonly addresses: readonly RedisAddress[] } & Login);

const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;
const FORMS =
  'redis[s]://host:port[/database], redis[s]+sentinel://host:port,host:port/master[/database] or redis[s]+cluster://host:port,host:port, with ports of at most 65535';
const NOT_ENCODED = 'has a user, password or master name that is not percent-encoded';
const SEVERAL = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/**
 * Reads a REDIS_URL. The URL parser of the platform knows one host only, so the forms with several hosts are read here.
 * User, password and the name of the master are percent-encoded.
 *
 * @throws Error naming what is wrong, without secrets
 */
export function parseRedisUrl(url: string): RedisPlace {
  const single = /^rediss?:\/\/\S+$/.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (single !== undefined) {
    if (single.hostname.includes(',')) throw new Error(`names several hosts: it must be ${FORMS}`);
    // Without the check, the client would go on with database 0.
    if (!/^\/?\d{0,5}$/.test(single.pathname)) throw new Error('has no database number after its host');
    return { kind: 'single', url, addresses: [{ host: single.hostname, port: Number(single.port || REDIS_PORT) }] };
  }
  const match = SEVERAL.exec(url);
  if (match === null) throw new Error(`must be ${FORMS}`);
  const [, scheme, kind, login = '', hosts = '', path = '', query = ''] = match;
  const [username, password] = login.includes(':') ? splitOnce(login, ':') : [login, ''];
  const access: Login = {
    username: decoded(username) || undefined,
    password: decoded(password) || undefined,
    tls: scheme === 'rediss',
  };
  const options = new URLSearchParams(query);
  // The first `/` or `?` of a password ends the hosts, so what stands behind it has the `@` before the real hosts. The
  // messages below would show parts of the password.
  if ([path, ...options.keys()].some((part) => part.includes('@'))) throw new Error(NOT_ENCODED);
  if (kind === 'cluster') {
    if (path !== '' && path !== '0') throw new Error('names a database, and a Redis Cluster has only one');
    refuseOptions(options, []);
    return { kind: 'cluster', addresses: addressesOf(hosts, REDIS_PORT), ...access };
  }
  refuseOptions(options, ['sentinelUsername', 'sentinelPassword']);
  const [master = '', database = '0', ...rest] = path.split('/');
  if (master === '') throw new Error('names no master after its Sentinels: redis+sentinel://host:26379/mymaster');
  if (rest.length > 0 || !/^\d{1,5}$/.test(database)) throw new Error('has no database number after its master');
  return {
    kind: 'sentinel',
    addresses: addressesOf(hosts, SENTINEL_PORT),
    master: decoded(master),
    database: Number(database),
    sentinelUsername: options.get('sentinelUsername') ?? undefined,
    sentinelPassword: options.get('sentinelPassword') ?? undefined,
    ...access,
  };
}

/** The fault of a REDIS_URL, as one line that names the setting; undefined if there is none. */
export function redisUrlProblem(url: unknown): string | undefined {
  try {
    parseRedisUrl(String(url));
    return undefined;
  } catch (error) {
    return `REDIS_URL ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The addresses for a terminal or a log, without user and password. */
export function redisWords(place: RedisPlace): string {
  const hosts = place.addresses.map(({ host, port }) => `${host}:${port}`).join(',');
  if (place.kind === 'single') return hosts;
  return place.kind === 'cluster' ? `cluster ${hosts}` : `${place.master} of the Sentinels ${hosts}`;
}

function addressesOf(hosts: string, usualPort: number): RedisAddress[] {
  return hosts.split(',').map((text) => {
    const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\],]+)(?::(\d{1,5}))?$/.exec(text);
    const port = Number(match?.[2] ?? usualPort);
    if (match?.[1] === undefined || port < 1 || port > 65_535) throw new Error(`has no host:port in "${text}"`);
    return { host: bareHost(match[1]), port };
  });
}

function refuseOptions(options: URLSearchParams, known: readonly string[]): void {
  const foreign = [...options.keys()].find((name) => !known.includes(name));
  if (foreign !== undefined) throw new Error(`has an unknown option ${foreign}`);
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(NOT_ENCODED);
  }
}
