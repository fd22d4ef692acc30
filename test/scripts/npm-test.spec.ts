import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { processIdentity } from '../../scripts/process/identity.js';
import { eventually } from '../support/eventually.js';

/** Writes its process, and that of a program that it has started, and lasts. Neither listens to SIGTERM. */
const LASTING = `
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
test('lasts', async () => {
  process.removeAllListeners('SIGTERM');
  process.on('SIGTERM', () => undefined);
  const deaf = "process.on('SIGTERM', () => undefined); process.on('SIGINT', () => undefined); setInterval(() => 0, 1e3)";
  const child = spawn(process.execPath, ['-e', deaf], { stdio: 'ignore' });
  writeFileSync(__filename + '.pids', process.pid + ' ' + child.pid);
  await new Promise((end) => setTimeout(end, 240_000));
}, 300_000);
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-test-'));
  writeFileSync(join(folder, 'nothing.cjs'), 'module.exports = async () => undefined;');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('npm test', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('leaves no process of a spec behind after %s', async (signal) => {
    const specs = ['a', 'b'].map((name) => join(folder, `${signal}-${name}.cjs`));
    for (const spec of specs) writeFileSync(spec, LASTING);
    const nothing = join(folder, 'nothing.cjs');
    const flags = {
      rootDir: folder,
      testMatch: `**/${signal}-*.cjs`,
      globalSetup: nothing,
      globalTeardown: nothing,
      testRunner: 'jest-circus/runner',
      testEnvironment: 'node',
      testSequencer: '@jest/test-sequencer',
      maxWorkers: '2',
    };
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const run = spawn(process.execPath, ['dist/scripts/test/main.js', ...words], { stdio: 'ignore' });
    const ended = once(run, 'exit');
    const pids = await eventually(() => {
      const files = specs.map((spec) => `${spec}.pids`);
      return files.every(existsSync) && files.flatMap((file) => readFileSync(file, 'utf8').split(' ').map(Number));
    });
    const identities = pids.map(processIdentity);
    expect(identities).not.toContain(undefined);
    run.kill(signal);
    expect(await ended).toEqual([1, null]);
    const left = () => pids.filter((pid, place) => processIdentity(pid) === identities[place]);
    try {
      await eventually(() => expect(left()).toEqual([]), { timeoutMs: 5_000 });
    } finally {
      for (const pid of left()) process.kill(pid, 'SIGKILL');
    }
  });
});
