import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectFault } from '#persistence';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded-postgres.js';
import { provideServiceRole } from '../postgres/service-role.js';
import { StartupError } from './startup-error.js';
import type { Teardown } from './teardown.js';

const CONNECT_TIMEOUT_MS = 10_000;
const RESTART_DELAY_MIN_MS = 1_000;
const RESTART_DELAY_MAX_MS = 30_000;
/** A server that ran this long has recovered: the next restart uses the shortest delay again. */
const STEADY_AFTER_MS = 60_000;

/**
 * The database of the service: the server of DATABASE_URL, or a bundled one in the data folder, which is restarted at
 * the same address when it ends, until that succeeds: its disk may be full.
 *
 * @throws StartupError when it cannot be reached or started
 */
export async function provideDatabase(
  databaseUrl: string | undefined,
  dataDir: string,
  teardown: Teardown,
  print: (line: string) => void,
): Promise<string> {
  if (databaseUrl !== undefined) {
    await checkDatabase(databaseUrl);
    return databaseUrl;
  }
  const options = { dataDir: join(dataDir, 'postgres') };
  let server: EmbeddedPostgres = await startEmbeddedPostgres(options).catch((error: Error) => {
    throw new StartupError(error.message);
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async (): Promise<void> => {
    for (let delayMs = RESTART_DELAY_MIN_MS; ; delayMs = Math.min(delayMs * 2, RESTART_DELAY_MAX_MS)) {
      const beganMs = performance.now();
      await server.ended;
      if (signal.aborted) return;
      if (performance.now() - beganMs > STEADY_AFTER_MS) delayMs = RESTART_DELAY_MIN_MS;
      const log = join(options.dataDir, 'server.log');
      print(`PostgreSQL does not run; it is started again in ${delayMs / 1_000} s (${log})`);
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        server = await startEmbeddedPostgres({ ...options, port: server.port });
      } catch (error) {
        print(`PostgreSQL could not be started again: ${error instanceof Error ? error.message : error}`);
      }
      if (signal.aborted) await server.stop();
    }
  };
  const watching = watch();
  teardown.add(async () => {
    stopping.abort();
    await server.stop();
    // A server that is being started again is stopped as well.
    await watching;
  });
  const role = await provideServiceRole(server.url, options.dataDir).catch((error: Error) => {
    throw new StartupError(`the role of the service could not be made: ${error.message}`);
  });
  if (role.wasHandedOver) {
    print('Upgraded the database: the service connects with a role that owns its database and has no other rights.');
  }
  return role.url;
}

/**
 * Makes one connection, so that a wrong URL is reported in one line, without the password.
 *
 * @param setting the one that has the URL
 * @throws StartupError
 */
export async function checkDatabase(
  databaseUrl: string,
  setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' = 'DATABASE_URL',
): Promise<void> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on('error', () => undefined);
    await client.connect();
  } catch (error) {
    throw new StartupError(`${setting}: no connection to ${withoutPassword(databaseUrl)}: ${connectFault(error)}`);
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** A URL for a terminal, without its password. */
export function withoutPassword(address: string): string {
  try {
    const url = new URL(address);
    return `${url.host}${url.pathname}`;
  } catch {
    return 'the given address, which is not a URL';
  }
}
