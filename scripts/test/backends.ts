import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findChromium } from '../chromium/find-chromium.js';
import { findHelm } from '../helm/local-helm.js';
import { startEmbeddedPostgres } from '../postgres/embedded-postgres.js';
import { findPgBouncer } from '../postgres/pgbouncer.js';
import { findPrometheus } from '../prometheus/local-prometheus.js';
import { describeRedis, findRedisServer, startLocalRedis } from '../redis/local-redis.js';
import { makeDataFolder } from './data-folder.js';

const REDIS_ANSWER_TIMEOUT_MS = 5_000;

/** The servers that the suite runs on. */
export interface TestBackends {
  readonly databaseUrl: string;
  /** Undefined when this machine has no Redis: the specs of that back end then do not exist. */
  readonly redisUrl: string | undefined;
  /** One line for the person who runs the tests. */
  readonly description: string;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL and, where the machine has one, a Redis; or takes those that TEST_DATABASE_URL and
 * TEST_REDIS_URL name. What it starts keeps its data in a temporary folder and is gone after `stop`.
 *
 * @throws Error in one line, also when REQUIRE_REDIS=1 and there is no Redis, REQUIRE_PGBOUNCER=1 and no PgBouncer,
 *   REQUIRE_PROMETHEUS=1 and no Prometheus, REQUIRE_HELM=1 and no Helm, or REQUIRE_CHROMIUM=1 and no Chromium
 */
export async function startTestBackends(environment: NodeJS.ProcessEnv): Promise<TestBackends> {
  const dir = makeDataFolder();
  const running: (() => Promise<void>)[] = [async () => rmSync(dir, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of running.splice(0).reverse()) await end();
  };
  try {
    const redis = await provideRedis(environment.TEST_REDIS_URL, dir, running);
    if (redis === undefined && environment.REQUIRE_REDIS === '1') {
      throw new Error(
        'REQUIRE_REDIS=1, but there is no redis-server or valkey-server on the PATH and no TEST_REDIS_URL',
      );
    }
    const pgbouncer = findPgBouncer();
    if (pgbouncer === undefined && environment.REQUIRE_PGBOUNCER === '1') {
      throw new Error('REQUIRE_PGBOUNCER=1, but there is no pgbouncer on the PATH');
    }
    const prometheus = findPrometheus();
    if (prometheus === undefined && environment.REQUIRE_PROMETHEUS === '1') {
      throw new Error('REQUIRE_PROMETHEUS=1, but there is no prometheus with its promtool on the PATH');
    }
    const helm = findHelm(environment);
    if (helm === undefined && environment.REQUIRE_HELM === '1') {
      throw new Error('REQUIRE_HELM=1, but TEST_HELM_DIR has no Helm: node scripts/helm/fetch.mjs FOLDER');
    }
    const chromium = findChromium();
    if (chromium === undefined && environment.REQUIRE_CHROMIUM === '1') {
      throw new Error('REQUIRE_CHROMIUM=1, but there is no chromium on the PATH');
    }
    const postgres = await providePostgres(environment.TEST_DATABASE_URL, dir, running);
    const queues = redis?.words ?? 'PostgreSQL alone (no redis-server on the PATH and no TEST_REDIS_URL)';
    const pooler = pgbouncer === undefined ? 'none (no pgbouncer on the PATH)' : `PgBouncer ${pgbouncer}`;
    const scraper = prometheus === undefined ? 'none (no prometheus on the PATH)' : `Prometheus ${prometheus}`;
    const chart = helm === undefined ? 'none (no TEST_HELM_DIR)' : `Helm ${helm.version}`;
    const browser = chromium === undefined ? 'none (no chromium on the PATH)' : `Chromium ${chromium.version}`;
    const description =
      `Back ends: ${postgres.words}; queues on ${queues}; pooler: ${pooler}; metrics read by: ${scraper}; ` +
      `chart rendered by: ${chart}; browser: ${browser}`;
    return { databaseUrl: postgres.url, redisUrl: redis?.url, description, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Provided {
  readonly url: string;
  readonly words: string;
}

async function providePostgres(
  given: string | undefined,
  dir: string,
  running: (() => Promise<void>)[],
): Promise<Provided> {
  if (given) return { url: given, words: `PostgreSQL ${await postgresVersion(given)} (TEST_DATABASE_URL)` };
  // What the suite writes is thrown away. Specs about durability start a server of their own, with fsync.
  const settings = {
    max_connections: '300',
    full_page_writes: 'off',
    // Each of its thousands of sessions would load the library of PL/pgSQL by itself.
    shared_preload_libraries: 'plpgsql',
    // Webhooks wait for all older transactions of the server: one that a spec forgets may not outlast the minute that
    // others wait for an event. Those that specs hold on purpose take seconds.
    idle_in_transaction_session_timeout: '50s',
  };
  const server = await startEmbeddedPostgres({ dataDir: join(dir, 'postgres'), fsync: false, settings });
  running.push(() => server.stop());
  await makeSignInCheap(server.url, join(dir, 'postgres', 'cluster'));
  return { url: server.url, words: `PostgreSQL ${await postgresVersion(server.url)} (bundled)` };
}

/**
 * The suite opens thousands of sessions. What makes guessing a password slow would take a tenth of its time, and the
 * proofs of SCRAM a fiftieth: here a client tells the password itself, on loopback, and it still has to be right.
 */
async function makeSignInCheap(url: string, cluster: string): Promise<void> {
  const { username, password } = new URL(url);
  const rules = join(cluster, 'pg_hba.conf');
  writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll('scram-sha-256', 'password'));
  await onShortSession(url, async (client) => {
    await client.query('SET scram_iterations = 1');
    await client.query(`ALTER ROLE ${client.escapeIdentifier(username)} PASSWORD ${client.escapeLiteral(password)}`);
    await client.query('SELECT pg_reload_conf()');
  });
}

async function provideRedis(
  given: string | undefined,
  dir: string,
  running: (() => Promise<void>)[],
): Promise<Provided | undefined> {
  if (given) {
    const version = await describeRedis(given, REDIS_ANSWER_TIMEOUT_MS);
    return { url: given, words: `PostgreSQL and on Redis ${version} (TEST_REDIS_URL)` };
  }
  const program = findRedisServer();
  if (program === undefined) return undefined;
  const server = await startLocalRedis(program, dir);
  running.push(() => server.stop());
  const version = await describeRedis(server.url, REDIS_ANSWER_TIMEOUT_MS);
  return { url: server.url, words: `PostgreSQL and on Redis ${version} (${program})` };
}

function postgresVersion(url: string): Promise<string> {
  return onShortSession(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '';
  });
}

async function onShortSession<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
