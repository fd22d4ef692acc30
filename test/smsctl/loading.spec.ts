import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TOPIC_NAMES } from '../../apps/smsctl/program.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const PROGRAM = new URL('../../apps/smsctl/main.js', import.meta.url).href;
const RUN_TIMEOUT_MS = 60_000;
/** The driver of PostgreSQL and what it brings. Anything else has to be worth its time to load. */
const FOR_A_SIMPLE_COMMAND = /^(commander|pg(-.+)?|postgres-.+|xtend)$/;

describe('smsctl loads what a command needs and no more', () => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await createTestDatabase();
  });
  afterAll(() => server.drop());

  test('help, the version and a word that it does not know load the parser of command lines alone', async () => {
    const { packages, folders } = await loadedBy([['--help'], ['--version'], ['help'], [], ['acount']], server.url);
    expect(packages).toEqual(['commander']);
    expect(folders).toEqual(['apps/smsctl', 'libs/config']);
  });

  test('a command that lists or shows loads neither TypeORM nor a queue, Nest or the validation of settings', async () => {
    const lists = ['account', 'fx', 'tariff', 'carrier', 'route'].map((topic) => [topic, 'list']);
    const shows = ['hold', 'retention'].map((topic) => [topic, 'show']);
    const { packages, codes } = await loadedBy([...lists, ...shows], server.url);
    expect(codes).toEqual(Array(7).fill(0));
    expect(packages).toContain('pg');
    expect(packages.filter((name) => !FOR_A_SIMPLE_COMMAND.test(name))).toEqual([]);
  });

  test('the help of every topic loads no more than a simple command', async () => {
    const { packages, codes } = await loadedBy(
      TOPIC_NAMES.map((topic) => [topic, '--help']),
      server.url,
    );
    expect(codes).toEqual(TOPIC_NAMES.map(() => 0));
    expect(packages.filter((name) => !FOR_A_SIMPLE_COMMAND.test(name))).toEqual([]);
  });
});

/**
 * What these runs of smsctl, in one process, loaded together, as the engine itself reports it: packages, and folders of
 * ours.
 */
async function loadedBy(
  commands: readonly (readonly string[])[],
  databaseUrl: string,
): Promise<{ codes: number[]; packages: string[]; folders: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'smsctl-loads-'));
  const script = `
    const { runSmsctl } = await import(${JSON.stringify(PROGRAM)});
    const environment = { DATABASE_URL: ${JSON.stringify(databaseUrl)} };
    const codes = [];
    for (const args of ${JSON.stringify(commands)}) codes.push(await runSmsctl(args, environment));
    console.log('\\n' + JSON.stringify(codes));`;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env.PATH, NODE_V8_COVERAGE: folder },
      timeout: RUN_TIMEOUT_MS,
    });
    const urls = readdirSync(folder).flatMap((file) => {
      const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
      return report.result.map(({ url }) => url);
    });
    const named = (pattern: RegExp): string[] =>
      [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort();
    return {
      codes: JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as number[],
      packages: named(/node_modules\/((?:@[^/]+\/)?[^/]+)/),
      folders: named(/^(?!.*node_modules).*\/dist\/((?:apps|libs)\/[^/]+)\//),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
