import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { freePort } from '../process/free-port.js';
import { processIdentity } from '../process/identity.js';
import { dieWithParent } from '../process/setpriv.js';
import { clearAbandonedServer } from './abandoned-server.js';
import { findBinaries } from './binaries.js';
import { initialiseCluster, SUPERUSER } from './initialise-cluster.js';
import { reachableBinaries } from './reachable-binaries.js';
import { asServerUser, chooseServerUser, dataFolderFor, serverEnvironment } from './server-user.js';

const READY_TIMEOUT_MS = 60_000;
const ORPHANS_TIMEOUT_MS = 30_000;
const FAST_SHUTDOWN_TIMEOUT_MS = 20_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 5_000;

/**
 * Keeps texts and numbers of messages out of the server's log when a statement fails: no row, no statement, no
 * parameter.
 */
const WITHOUT_CONTENT = {
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its password and its log; made on first use. */
  readonly dataDir: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Server settings by name, e.g. `{ max_connections: '200' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False only if data may be lost at a power cut. */
  readonly fsync?: boolean;
}

export interface EmbeddedPostgres {
  /** The URL of the database `heliograph` for the superuser, on loopback. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Ends every session and shuts down; the data stays. After a time-out the server is killed. */
  stop(): Promise<void>;
}

/**
 * Runs the PostgreSQL that npm installed, on loopback only, with its data in `dataDir`.
 *
 * @throws Error in one line when it cannot: no build for this machine, a folder out of reach, a taken port, or a server
 * of another running process on the same data
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + ORPHANS_TIMEOUT_MS;
  for (;;) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Busy sessions of a killed server live on until they notice it; PostgreSQL does not wait for them.
      const orphans = error instanceof Error && error.message.includes('pre-existing shared memory block');
      if (!orphans || Date.now() > deadline) throw error;
      await new Promise((wake) => setTimeout(wake, 200));
    }
  }
}

async function startOnce(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'cluster');
  mkdirSync(dataDir, { recursive: true });
  const user = chooseServerUser(cluster);
  const binaries = reachableBinaries(await findBinaries(), user);
  const password = await initialiseCluster(dataDir, binaries, user, options.fsync !== false);
  await clearAbandonedServer(dataDir, cluster);

  const port = options.port || (await freePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    // Twice the default, so that a busy server makes checkpoints half as often: after each one, the log has every page
    // that changes whole once more (full_page_writes).
    max_wal_size: '2GB',
    // Files of the log are kept, to be written again: a new one is filled with zeros first, and commits wait for that.
    min_wal_size: '2GB',
    fsync: options.fsync === false ? 'off' : 'on',
    log_checkpoints: 'off',
    ...WITHOUT_CONTENT,
    ...options.settings,
  };
  const args = [
    '-D',
    dataFolderFor(user, cluster),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const server = dieWithParent({ command: binaries.postgres, args }, 'INT');
  const { command, args: line, ...identity } = asServerUser(server, user);

  const logFile = join(dataDir, 'server.log');
  // A new file: sessions of a killed server still write to the old one, and their lines do not explain this server's
  // failure.
  rmSync(logFile, { force: true });
  const log = openSync(logFile, 'w', 0o600);
  // Its own process group: Ctrl-C in a terminal must not stop the database before the processes that use it.
  const child = spawn(command, line, {
    ...identity,
    cwd: cluster,
    env: serverEnvironment(),
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'exit').then(
    () => undefined,
    () => undefined,
  );
  writeFileSync(join(dataDir, 'owner'), processIdentity(process.pid) ?? '', { mode: 0o600 });
  chmodSync(logFile, 0o600);

  const address = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}`;
  const started = { port, pid: child.pid ?? 0, ended, stop: () => stop(child) };
  try {
    await waitUntilReady(`${address}/postgres`, child, logFile);
    await ensureDatabase(`${address}/postgres`);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return { ...started, url: `${address}/${SUPERUSER}` };
}

async function waitUntilReady(url: string, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let spawnError: Error | undefined;
  child.once('error', (error) => {
    spawnError = error;
  });
  for (;;) {
    if (await answers(url)) return;
    if (spawnError !== undefined || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`PostgreSQL did not start: ${spawnError?.message ?? reasonIn(logFile)}`);
    }
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL was not ready within ${READY_TIMEOUT_MS} ms: see ${logFile}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The last lines of the server about its failure, and where to read more. */
function reasonIn(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  const reason =
    lines.findLast((line) => /FATAL|PANIC|ERROR|error/.test(line)) ?? lines.findLast((line) => line !== '');
  return `${reason ?? 'it said nothing'} (${logFile})`;
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [SUPERUSER]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${SUPERUSER}`);
  } finally {
    await client.end();
  }
}

/** Fast shutdown, then immediate shutdown, then SIGKILL (PostgreSQL manual, "Shutting Down the Server"). */
async function stop(child: ChildProcess): Promise<void> {
  const steps = [
    ['SIGINT', FAST_SHUTDOWN_TIMEOUT_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_TIMEOUT_MS],
    ['SIGKILL', IMMEDIATE_SHUTDOWN_TIMEOUT_MS],
  ] as const;
  for (const [signal, timeoutMs] of steps) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(timeoutMs) });
    child.kill(signal);
    await exited.catch(() => undefined);
  }
}
