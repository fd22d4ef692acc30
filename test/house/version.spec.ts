import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { VERSION } from '#config';
import { TestGateway } from '../support/gateway.js';
import { SHORT_LIVED_NODE_FLAGS } from '../support/short-lived-node.js';
import { ended } from '../support/worker-process.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child, 'SIGKILL');
});

/** The first thing that a process of the service says, whatever becomes of its start. */
async function firstLineOf(app: string): Promise<Record<string, unknown>> {
  const { NODE_OPTIONS: _forJest, ...environment } = process.env;
  const child = spawn(process.execPath, [...SHORT_LIVED_NODE_FLAGS, `dist/apps/${app}/main.js`], {
    env: { ...environment, DATABASE_URL: '', REDIS_URL: '', LOG_LEVEL: 'info', SIMULATOR_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  let said = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    said += String(part);
    const [line = '', ...rest] = said.split('\n');
    if (rest.length > 0) return JSON.parse(line) as Record<string, unknown>;
  }
  throw new Error(`${app} said nothing`);
}

test('the version is the one of the package and stands at the top of the changelog', () => {
  expect(VERSION).toBe(PACKAGE.version);
  const [, newest] = /^## \[?([^\]\s]+)\]? \(\d{4}-\d\d-\d\d\)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  expect(newest).toBe(VERSION);
  for (const file of ['package-lock.json', 'clients/typescript/package.json']) {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: VERSION });
  }
});

test.each(['gateway', 'worker'])('the first log line of a %s tells its version', async (app) => {
  expect(await firstLineOf(app)).toMatchObject({
    version: VERSION,
    node: process.version,
    msg: `heliograph ${app} ${VERSION} starts`,
  });
});

test('the one line of a simulator, that it listens, tells its version', async () => {
  expect(await firstLineOf('carrier-simulator')).toMatchObject({
    version: VERSION,
    node: process.version,
    msg: 'listening',
  });
});

test('/healthz and the OpenAPI document of a gateway tell its version', async () => {
  const gateway = await TestGateway.start();
  try {
    expect((await gateway.http.request('GET', '/healthz')).json).toEqual({ status: 'ok', version: VERSION });
    expect((await gateway.http.request('GET', '/openapi.json')).json).toMatchObject({ info: { version: VERSION } });
  } finally {
    await gateway.close();
  }
});
