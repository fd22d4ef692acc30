import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/postgres/embedded-postgres.js';

export interface PrimaryAndReplica {
  readonly primary: EmbeddedPostgres;
  replica: EmbeddedPostgres;
  /** Statements on the primary, in transactions of their own. */
  onPrimary(...statements: readonly string[]): Promise<void>;
  /** A statement on the replica. */
  onReplica(sql: string): Promise<void>;
  killReplica(): Promise<void>;
  restartReplica(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL with a streaming replica, made by a base backup: the bundled programs have no pg_basebackup, so the
 * files are copied between pg_backup_start and pg_backup_stop (PostgreSQL manual, "Making a Base Backup Using the Low
 * Level API").
 */
export async function startPrimaryAndReplica(dir: string): Promise<PrimaryAndReplica> {
  const primaryDir = join(dir, 'primary');
  const replicaDir = join(dir, 'replica');
  const primary = await startEmbeddedPostgres({ dataDir: primaryDir, fsync: false });
  try {
    await copyCluster(primary, primaryDir, replicaDir);
    const { username, password } = new URL(primary.url);
    const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`;
    const start = (port?: number) =>
      startEmbeddedPostgres({
        dataDir: replicaDir,
        fsync: false,
        settings: { primary_conninfo },
        ...(port && { port }),
      });
    const both: PrimaryAndReplica = {
      primary,
      replica: await start(),
      onPrimary: (...statements) =>
        withClient(primary.url, async (client) => {
          for (const statement of statements) await client.query(statement);
        }),
      onReplica: (sql) => withClient(both.replica.url, async (client) => void (await client.query(sql))),
      killReplica: async () => {
        process.kill(both.replica.pid, 'SIGKILL');
        await both.replica.ended;
      },
      restartReplica: async () => {
        both.replica = await start(both.replica.port);
      },
      stop: async () => {
        await both.replica.stop();
        await primary.stop();
      },
    };
    return both;
  } catch (error) {
    await primary.stop();
    throw error;
  }
}

async function copyCluster(primary: EmbeddedPostgres, from: string, to: string): Promise<void> {
  mkdirSync(to);
  copyFileSync(join(from, 'password'), join(to, 'password'));
  await withClient(primary.url, async (client) => {
    await client.query(`select pg_backup_start('replica', true)`);
    // Files may go while they are copied; the log that is streamed afterwards makes up for it.
    spawnSync('cp', ['-a', join(from, 'cluster'), join(to, 'cluster')]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    const cluster = join(to, 'cluster');
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(cluster, name), { force: true });
    const { uid, gid } = statSync(join(cluster, 'PG_VERSION'));
    writeFileSync(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(cluster, 'standby.signal'), '');
    spawnSync('chown', [`${uid}:${gid}`, join(cluster, 'backup_label'), join(cluster, 'standby.signal')]);
  });
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
