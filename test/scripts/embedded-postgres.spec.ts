import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/postgres/embedded-postgres.js';
import { initialiseCluster } from '../../scripts/postgres/initialise-cluster.js';

const RUNNER = pathToFileURL(join(process.cwd(), 'dist/scripts/postgres/embedded-postgres.js')).href;

describe('the bundled PostgreSQL', () => {
  // Like a clone in one of root's folders, this one is closed to every other user.
  let dir: string;
  const running: EmbeddedPostgres[] = [];

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'heliograph-postgres-'));
  });

  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop();
  });

  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ dataDir: dir, settings });
    running.push(server);
    return server;
  }

  async function query(url: string, statement: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  test('keeps the data over a restart, at whatever port', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS seven');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
  });

  test('takes its settings and syncs to disk unless told otherwise', async () => {
    const server = await start({ work_mem: '7MB' });
    expect(await query(server.url, 'SHOW work_mem')).toEqual([{ work_mem: '7MB' }]);
    expect(await query(server.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  test('lets nobody in without the password, which only its owner can read', async () => {
    const server = await start();
    const url = new URL(server.url);
    url.password = 'guessed';
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    expect(statSync(join(dir, 'password')).mode & 0o077).toBe(0);
  });

  test('is refused in one line without the password of its data', async () => {
    await (await start()).stop();
    const file = join(dir, 'password');
    const password = readFileSync(file, 'utf8');
    writeFileSync(file, '');
    await expect(start()).rejects.toThrow(/\/password is missing or empty: /);
    rmSync(file);
    await expect(start()).rejects.toThrow(/\/password is missing or empty: /);
    writeFileSync(file, password, { mode: 0o600 });
    await start();
  });

  test('keeps its password while a copy of its data is not complete', async () => {
    const server = await start();
    await query(server.url, 'CREATE TABLE copied AS SELECT 1 AS one');
    await server.stop();
    const version = join(dir, 'cluster', 'PG_VERSION');
    renameSync(version, join(dir, 'PG_VERSION'));
    await expect(start()).rejects.toThrow(/\/cluster is not complete: it has no PG_VERSION/);
    renameSync(join(dir, 'PG_VERSION'), version);
    expect(await query((await start()).url, 'SELECT one FROM copied')).toEqual([{ one: 1 }]);
  });

  test('runs without any capability, and cannot read what its user may not, whoever starts it and wherever', async () => {
    const server = await start();
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
      expect(status).toMatch(new RegExp(`^${set}:\\t0+$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    // The superuser of the database has all that the server has.
    for (const statement of [
      "SELECT pg_read_file('/etc/shadow')",
      "CREATE TABLE stolen (line text); COPY stolen FROM '/etc/shadow'",
    ]) {
      await expect(query(server.url, statement)).rejects.toThrow(
        /could not open file "\/etc\/shadow" for reading: Permission denied/,
      );
    }
  });

  test('knows none of the settings of the service', async () => {
    process.env.OPERATOR_PASSWORD = 'not for the database';
    try {
      const server = await start();
      const names = readFileSync(`/proc/${server.pid}/environ`, 'utf8')
        .split('\0')
        .map((entry) => entry.split('=')[0]);
      expect(names).not.toContain('OPERATOR_PASSWORD');
    } finally {
      delete process.env.OPERATOR_PASSWORD;
    }
  });

  test('is refused in one line while a server of a running process has the data', async () => {
    await start();
    await expect(start()).rejects.toThrow(/^another process \(pid \d+\) already runs PostgreSQL on /);
  });

  test('comes back with every committed row after the process that ran it was killed', async () => {
    const program = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(RUNNER)});
      const server = await startEmbeddedPostgres({ dataDir: process.argv[1] });
      process.stdout.write(server.url + '\\n');
      setInterval(() => undefined, 1_000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    await query(line.toString().trim(), 'CREATE TABLE outlived_owner AS SELECT 1 AS one');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const server = await start();
    expect(await query(server.url, 'SELECT one FROM outlived_owner')).toEqual([{ one: 1 }]);
  });

  test('comes back after the server itself was killed in the middle of work', async () => {
    const first = await start();
    const busy = new pg.Client({ connectionString: first.url });
    busy.on('error', () => undefined);
    await busy.connect();
    const work = busy.query('SELECT count(*) FROM generate_series(1, 5000000)').catch(() => undefined);
    await query(first.url, 'CREATE TABLE outlived_server AS SELECT 1 AS one');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const second = await start();
    await work;
    await busy.end().catch(() => undefined);
    expect(readFileSync(join(dir, 'server.log'), 'utf8')).not.toContain('unexpected postmaster exit');
    expect(await query(second.url, 'SELECT one FROM outlived_server')).toEqual([{ one: 1 }]);
  });
});

test('a full disk is told in one line', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'heliograph-postgres-'));
  const initdb = join(dir, 'initdb');
  const said = [
    '2026-12-01 05:49:41.160 UTC [22691] FATAL:  could not write to file "base/4/1249": No space left on device',
    '2026-12-01 05:49:41.160 UTC [22691] STATEMENT:  CREATE DATABASE template0 OID = 4;',
    'child process exited with exit code 1',
    'initdb: removing contents of data directory "/proc/self/cwd"',
  ];
  writeFileSync(initdb, `#!/bin/sh\ncat >&2 <<'END'\n${said.join('\n')}\nEND\nexit 1\n`, { mode: 0o700 });
  try {
    const made = initialiseCluster(dir, { initdb, postgres: '', root: '' }, undefined, false);
    await expect(made).rejects.toThrow(
      new Error(`PostgreSQL could not be initialised in ${join(dir, 'initialising', 'cluster')}: ${said[0]}`),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
