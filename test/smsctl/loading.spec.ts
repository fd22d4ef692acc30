import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TOPIC_NAMES } from '../../apps/smsctl/program.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runSmsctl } from './run-smsctl.js';

/** The driver of PostgreSQL, the table and what they bring. Anything else has to be worth its time to load. */
const FOR_A_SIMPLE_COMMAND =
  /^(commander|pg(-.+)?|postgres-.+|xtend|cli-table3|string-width|strip-ansi|ansi-regex|is-fullwidth-code-point|emoji-regex)$/;

describe('smsctl loads what a command needs and no more', () => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await createTestDatabase();
  });
  afterAll(() => server.drop());

  test.each([[['--help']], [['--version']], [['help']], [[]], [['acount']]])(
    '%j loads the parser of command lines alone',
    async (args) => {
      const { packages, folders } = await loadedBy(args, server.url);
      expect(packages).toEqual(['commander']);
      expect(folders).toEqual(['apps/smsctl', 'libs/config']);
    },
  );

  test.each([
    [['account', 'list']],
    [['fx', 'list']],
    [['tariff', 'list']],
    [['carrier', 'list']],
    [['route', 'list']],
    [['hold', 'show']],
    [['retention', 'show']],
  ])('%j loads neither TypeORM nor a queue, Nest or the validation of settings', async (args) => {
    const { packages, code } = await loadedBy(args, server.url);
    expect(code).toBe(0);
    expect(packages).toContain('pg');
    expect(packages.filter((name) => !FOR_A_SIMPLE_COMMAND.test(name))).toEqual([]);
  });

  test.each(TOPIC_NAMES)('the help of `smsctl %s` loads no more than a simple command', async (topic) => {
    const { packages, code } = await loadedBy([topic, '--help'], server.url);
    expect(code).toBe(0);
    expect(packages.filter((name) => !FOR_A_SIMPLE_COMMAND.test(name))).toEqual([]);
  });
});

/** What a run of smsctl loaded, as the engine itself reports it: packages, and folders of ours. */
async function loadedBy(
  args: readonly string[],
  databaseUrl: string,
): Promise<{ code: number | null; packages: string[]; folders: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'smsctl-loads-'));
  try {
    const { code } = await runSmsctl(args, { DATABASE_URL: databaseUrl, NODE_V8_COVERAGE: folder });
    const urls = readdirSync(folder).flatMap((file) => {
      const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
      return report.result.map(({ url }) => url);
    });
    const named = (pattern: RegExp): string[] =>
      [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort();
    return {
      code,
      packages: named(/node_modules\/((?:@[^/]+\/)?[^/]+)/),
      folders: named(/^(?!.*node_modules).*\/dist\/((?:apps|libs)\/[^/]+)\//),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
