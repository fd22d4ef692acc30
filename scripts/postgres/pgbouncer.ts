import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.js';
import { dieWithParent } from '../process/setpriv.js';
import { stopOf } from '../process/stop-child.js';
import { asServerUser, chooseServerUser } from './server-user.js';

const READY_TIMEOUT_MS = 15_000;

export interface PgBouncer {
  /** The same database, through the pooler. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** The version of the PgBouncer on the PATH, if there is one. */
export function findPgBouncer(): string | undefined {
  const { status, stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  return status === 0 ? /PgBouncer (\S+)/.exec(stdout)?.[1] : undefined;
}

/**
 * Runs a PgBouncer in transaction mode on loopback before the server of a URL, with few sessions for many clients, so
 * that code that relies on its own session fails. It passes on no settings of sessions, which is its default.
 *
 * @throws Error when it is not ready within 15 s
 */
export async function startPgBouncer(serverUrl: string, poolSize = 4): Promise<PgBouncer> {
  const server = new URL(serverUrl);
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'heliograph-pgbouncer-'));
  const users = join(dir, 'users.txt');
  const settings = join(dir, 'pgbouncer.ini');
  writeFileSync(users, `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`);
  writeFileSync(
    settings,
    [
      '[databases]',
      `* = host=${server.hostname} port=${server.port || '5432'}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      // Relative to the working folder, because the folders above may be closed to it.
      'auth_file = users.txt',
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 500',
      'log_connections = 0',
      'log_disconnections = 0',
      '',
    ].join('\n'),
  );
  // PgBouncer refuses to run as root.
  const user = chooseServerUser(dir);
  if (user !== undefined) for (const path of [dir, users, settings]) chownSync(path, user.uid, user.gid);
  chmodSync(dir, 0o700);
  const launch = dieWithParent({ command: 'pgbouncer', args: ['-q', 'pgbouncer.ini'] }, 'INT');
  const { command, args, ...identity } = asServerUser(launch, user);
  const child = spawn(command, args, { ...identity, cwd: dir, stdio: 'ignore', detached: true });
  // SIGTERM ends it at once, although clients are connected.
  const end = stopOf(child);
  const urlOf = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = `${port}`;
    return url.href;
  };
  const stop = async () => {
    await end();
    rmSync(dir, { recursive: true, force: true });
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers(urlOf(serverUrl)))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error('pgbouncer did not start');
    }
    await new Promise((wake) => setTimeout(wake, 50));
  }
  return { urlOf, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
