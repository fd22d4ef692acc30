import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { NODES } from '../support/nodes.js';

const run = promisify(execFile);
const MODULES = ['service-node-flags', 'short-lived-node-flags'].map((name) =>
  resolve('dist', 'scripts', 'process', `${name}.js`),
);
const ALL_FLAGS = `
  const modules = await Promise.all(${JSON.stringify(MODULES)}.map((path) => import(path)));
  console.log(JSON.stringify(modules.flatMap((module) => Object.values(module)).flat()));`;

describe('flags of Node', () => {
  test.each(NODES)('%s starts with those that it is given', async (node) => {
    const { stdout } = await run(node, ['--input-type=module', '-e', ALL_FLAGS]);
    const flags = JSON.parse(stdout) as string[];
    expect(flags).toContain('--max-semi-space-size=64');
    const { stdout: said } = await run(node, [...flags, '-p', '"started"']);
    expect(said).toBe('started\n');
  });
});
