import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { claimDataDir } from '../../scripts/supervisor/instance-lock.js';
import { keepSecret } from '../../scripts/supervisor/kept-secret.js';
import { makeDataDir } from '../../scripts/supervisor/make-data-dir.js';
import { ProcessLog } from '../../scripts/supervisor/process-log.js';
import { checkDatabase, provideDatabase } from '../../scripts/supervisor/provide-database.js';
import { reservePorts } from '../../scripts/supervisor/reserve-ports.js';
import { ServiceProcess } from '../../scripts/supervisor/service-process.js';
import { StartupError } from '../../scripts/supervisor/startup-error.js';
import { Teardown } from '../../scripts/supervisor/teardown.js';
import { eventually } from '../support/eventually.js';

/** For a Node that starts on a busy machine. */
const GRACE_MS = 30_000;

let dir: string;
let printed: string[];
const print = (line: string): void => {
  printed.push(line);
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'heliograph-supervisor-'));
  printed = [];
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe('npm start says in one line why it cannot start', () => {
  let occupant: Server;
  let taken: number;

  beforeEach(async () => {
    occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const address = occupant.address();
    taken = address !== null && typeof address !== 'string' ? address.port : 0;
  });

  afterEach(async () => {
    occupant.close();
    await once(occupant, 'close');
  });

  test('a taken port names the setting that moves it', async () => {
    const listeners = [
      { setting: 'PORT', host: '127.0.0.1', port: 0 },
      { setting: 'OPERATOR_PORT', host: '127.0.0.1', port: taken },
    ];
    await expect(reservePorts(listeners)).rejects.toThrow(
      `port ${taken} on 127.0.0.1 is taken: set OPERATOR_PORT to a free one`,
    );
  });

  test('the same port given twice is found before anything listens on it', async () => {
    const [free = 0] = await reservePorts([{ setting: 'PORT', host: '127.0.0.1', port: 0 }]);
    const listeners = ['PORT', 'SIMULATOR_PORT'].map((setting) => ({ setting, host: '127.0.0.1', port: free }));
    await expect(reservePorts(listeners)).rejects.toThrow('set SIMULATOR_PORT');
  });

  test('port 0 becomes a free one', async () => {
    const [port = 0] = await reservePorts([{ setting: 'PORT', host: '127.0.0.1', port: 0 }]);
    expect(port).toBeGreaterThan(0);
  });

  test('an unreachable database is named without its password', async () => {
    const refusal = checkDatabase('postgres://me:sesame@127.0.0.1:1/sms');
    await expect(refusal).rejects.toThrow(/^DATABASE_URL: no connection to 127\.0\.0\.1:1\/sms: .*ECONNREFUSED/);
    await expect(refusal).rejects.not.toThrow('sesame');
    const direct = checkDatabase('postgres://me:ses/ame@127.0.0.1:1/sms', 'DATABASE_DIRECT_URL');
    await expect(direct).rejects.toThrow(/^DATABASE_DIRECT_URL: no connection to the given address.*%2F for \//);
    const open = new URL(process.env.TEST_DATABASE_URL ?? '');
    open.password = '';
    await expect(checkDatabase(open.href)).rejects.toThrow(/: the server asks for a password, and the URL has none$/);
  });

  test('a data folder is made with its parents, or the setting is named', () => {
    const wanted = join(dir, 'some', 'where');
    expect([makeDataDir(wanted), statSync(wanted).isDirectory()]).toEqual([wanted, true]);
    writeFileSync(join(dir, 'file'), '');
    expect(() => makeDataDir(join(dir, 'file'))).toThrow(/^DATA_DIR: .*file is not a folder$/);
    expect(() => makeDataDir('/dev/null/nope')).toThrow(/^DATA_DIR: /);
    expect(() => makeDataDir('/proc/nope')).toThrow(/^DATA_DIR: /);
  });

  test('a data folder that another instance uses names that instance', () => {
    const release = claimDataDir(dir);
    expect(() => claimDataDir(dir)).toThrow(`another instance (pid ${process.pid}) runs on ${dir}`);
    release();
    claimDataDir(dir)();
  });

  test('a data folder in which nothing can be written is one line', () => {
    expect(() => claimDataDir('/proc')).toThrow(StartupError);
    expect(() => claimDataDir('/proc')).toThrow(/^DATA_DIR: /);
  });

  test('a file of the data folder that cannot be read is one line, without a stack', () => {
    mkdirSync(join(dir, 'instance.lock'));
    const main = join(process.cwd(), 'dist/scripts/supervisor/main.js');
    const { status, stderr } = spawnSync(process.execPath, [main], {
      env: { PATH: process.env.PATH, DATA_DIR: dir },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^npm start: EISDIR: .*\n$/)]);
  });

  test('what a killed instance left is taken over, even when its process number is in use again', () => {
    writeFileSync(join(dir, 'instance.lock'), `${process.pid}:1`);
    expect(() => claimDataDir(dir)()).not.toThrow();
  });
});

describe('a restart has the same secrets', () => {
  test('a secret is made once, for its owner alone', () => {
    const file = join(dir, 'operator-password');
    const toDisk = jest.spyOn(fs, 'fsyncSync');
    expect(keepSecret(file, () => 'first')).toBe('first');
    expect(toDisk).toHaveBeenCalledTimes(1);
    toDisk.mockRestore();
    expect(keepSecret(file, () => 'second')).toBe('first');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

test('the bundled PostgreSQL is started again until it starts, as with a disk that is full for a while', async () => {
  const teardown = new Teardown();
  try {
    const url = await provideDatabase(undefined, dir, teardown, print);
    const cluster = join(dir, 'postgres', 'cluster');
    const settings = join(cluster, 'postgresql.auto.conf');
    const before = readFileSync(settings);
    appendFileSync(settings, 'nonsense = 1\n');
    process.kill(Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10), 'SIGINT');
    await eventually(() => printed.some((line) => line.startsWith('PostgreSQL could not be started again: ')));
    writeFileSync(settings, before);
    await eventually(async () => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      await client.end();
    });
  } finally {
    await teardown.run(() => undefined);
  }
});

describe('the processes of the service', () => {
  const running: ServiceProcess[] = [];

  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop(GRACE_MS);
  });

  function launch(program: string): ServiceProcess {
    const file = join(dir, 'program.mjs');
    writeFileSync(file, program);
    const log = new ProcessLog(join(dir, 'logs'), 'gateway', print);
    const service = new ServiceProcess('gateway', file, process.env, log, print);
    running.push(service);
    service.start();
    return service;
  }

  const never = new AbortController().signal;
  const logged = (): string => {
    const file = join(dir, 'logs', 'gateway.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  test('one that falls is started again, and one line says so', async () => {
    const service = launch(`console.log('up ' + process.pid); setInterval(() => {}, 1_000);`);
    await service.ready(async () => logged().includes('up '), GRACE_MS, never);
    const first = service.pid ?? 0;
    process.kill(first, 'SIGKILL');
    await eventually(() => service.pid !== first && logged().includes(`up ${service.pid}`));
    expect(printed).toEqual(['gateway ended (SIGKILL); it is started again in 500 ms']);
  });

  test('one that ends while starting fails the start with its own words', async () => {
    const service = launch(`throw new Error('no table called orders');`);
    await expect(service.ready(async () => false, GRACE_MS, never)).rejects.toThrow(
      /^gateway ended while starting \(exit code 1, Error: no table called orders\): see /,
    );
  });

  test('one that does not drain in time is killed', async () => {
    const service = launch(`process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1_000);`);
    await service.ready(async () => logged().includes('up'), GRACE_MS, never);
    await service.stop(200);
    expect(printed).toEqual(['gateway did not stop within 200 ms and is killed']);
  });

  test('the terminal shows warnings and errors in short, the file has everything', async () => {
    const log = new ProcessLog(join(dir, 'logs'), 'worker', print);
    log.write('{"level":30,"msg":"bound"}');
    log.write('{"level":40,"msg":"throttled"}');
    log.write('{"level":50,"msg":"submit failed","err":{"message":"no answer","stack":"..."}}');
    log.write('{"level":40,"carrier":"acme","reason":"no route","msg":"the bind is down"}');
    log.write('{"level":50,"carrier":"acme","msg":"carrier acme is down"}');
    await log.close();
    expect(printed).toEqual([
      'worker warn: throttled',
      'worker error: submit failed: no answer',
      'worker warn: carrier acme: the bind is down: no route',
      'worker error: carrier acme is down',
    ]);
    expect(readFileSync(log.file, 'utf8').trim().split('\n')).toHaveLength(5);
    expect(statSync(log.file).mode & 0o777).toBe(0o600);
  });

  test('a log whose file somebody has removed goes on in a new file when it would be renamed', async () => {
    const log = new ProcessLog(join(dir, 'logs'), 'worker', print);
    const full = 'x'.repeat(20_000_001);
    log.write(full);
    await eventually(() => existsSync(log.file) && statSync(log.file).size > full.length);
    rmSync(log.file);
    log.write('up again');
    await log.close();
    expect(readFileSync(log.file, 'utf8')).toBe('up again\n');
    expect(printed).toEqual([expect.stringMatching(/^worker cannot rename .*: ENOENT/)]);
  });

  test('a log that could not be written, as on a full disk, is written again when there is room', async () => {
    mkdirSync(join(dir, 'logs'));
    symlinkSync('/dev/full', join(dir, 'logs', 'worker.log'));
    const log = new ProcessLog(join(dir, 'logs'), 'worker', print, 0);
    log.write('lost');
    await eventually(() => printed.length === 1);
    expect(printed).toEqual([expect.stringMatching(/^worker cannot write .*: ENOSPC/)]);
    rmSync(log.file);
    log.write('up again');
    await log.close();
    expect(readFileSync(log.file, 'utf8')).toBe('up again\n');
  });
});
