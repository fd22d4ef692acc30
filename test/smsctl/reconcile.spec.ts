import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database } from '#persistence';
import { parseFillCommandLine } from '../../tools/bench/fill/command-line.js';
import { fillDatabase } from '../../tools/bench/fill/fill-database.js';
import { SeededRandom } from '../../tools/harness/seeded-random.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runSmsctl, SMSCTL } from './run-smsctl.js';

/** `RECONCILE_MESSAGES=1000000 npm test -- test/smsctl/reconcile` compares a million. */
const MESSAGES = Number(process.env.RECONCILE_MESSAGES ?? 3_000);
const TIMEOUT_MS = MESSAGES > 10_000 ? 3_600_000 : 170_000;
const DAYS = 5;
const COST = 4_000n;
/** One of so many is changed in the carrier's file. */
const PLANTED_EVERY = MESSAGES > 10_000 ? 1_000 : 20;
const KINDS = ['missing', 'extra', 'doubled', 'segments', 'cost'] as const;
type Kind = (typeof KINDS)[number];

interface Sent {
  readonly carrier_message_id: string;
  readonly at: Date;
}

let server: TestDatabase;
let database: Database;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  server = await createTestDatabase();
  const flags = ['--messages', `${MESSAGES}`, '--accounts', '10', '--sessions', '2', '--days', `${DAYS}`];
  await fillDatabase(server.url, parseFillCommandLine(flags), new AbortController().signal, () => undefined);
  database = await Database.open({
    url: server.url,
    poolSize: 2,
    applicationName: 'spec',
    statementTimeoutMs: 600_000,
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await database.close();
  await server.drop();
  rmSync(folder, { recursive: true });
});

/** What the carrier took, by its ids, some thousands at a time. */
async function* sentMessages(): AsyncGenerator<Sent> {
  for (let after = ''; ; ) {
    const rows = await database.query<Sent>(
      `select carrier_message_id, accepted_at as at from segment where carrier_message_id > $1
        order by carrier_message_id limit 20000`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.carrier_message_id;
  }
}

/** Writes the carrier's file with differences in it; hands back the kind of each by its id. */
async function writeFile(
  file: string,
  lineOf: (id: string, parts: number, cost: bigint, at: Date) => string,
  header: string,
): Promise<Map<string, Kind>> {
  const random = new SeededRandom(17);
  const planted = new Map<string, Kind>();
  const out = createWriteStream(file);
  out.write(header);
  for await (const { carrier_message_id: id, at } of sentMessages()) {
    const kind = random.chance(1 / PLANTED_EVERY) ? random.pick(KINDS) : undefined;
    if (kind !== undefined) planted.set(kind === 'extra' ? `f0f0${id}` : id, kind);
    let lines =
      kind === 'missing' ? '' : lineOf(id, kind === 'segments' ? 2 : 1, kind === 'cost' ? COST + 1n : COST, at);
    if (kind === 'doubled') lines += lines;
    if (kind === 'extra') lines += lineOf(`f0f0${id}`, 1, COST, at);
    if (!out.write(lines)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return planted;
}

/** Kinds by carrier id, as the CSV of the differences has them. */
function foundIn(file: string): Map<string, string> {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\r\n');
  const id = head.split(',').indexOf('carrierMessageId');
  return new Map(lines.map((line) => line.split(',')).map((cells) => [cells[id] ?? '', cells[0] ?? '']));
}

/** Longer than what the database was filled with. */
const period = () => [
  '--from',
  new Date(Date.now() - (DAYS + 2) * 86_400_000).toISOString(),
  '--to',
  new Date().toISOString(),
];
const run = (...args: string[]) => runSmsctl(['reconcile', ...args], { DATABASE_URL: server.url });
const euros = (micros: bigint) => `0,${String(micros).padStart(6, '0')}`;

describe("a carrier's file", () => {
  test(
    'with planted differences: all are found, and none is invented',
    async () => {
      const [cdr, differences] = [join(folder, 'cdr.csv'), join(folder, 'differences.csv')];
      const german = (at: Date) => at.toISOString().replace(/^(\d+)-(\d+)-(\d+)T(.{8}).*$/, '$3.$2.$1 $4');
      const planted = await writeFile(
        cdr,
        (id, parts, cost, at) => `${german(at)};"x;y";${id.toUpperCase()};${parts};${euros(cost)}\n`,
        '',
      );
      expect(new Set(planted.values())).toEqual(new Set(KINDS));
      const beganMs = performance.now();
      const { code, stdout, stderr } = await run(
        ...[cdr, '--carrier', 'filled', '--no-header', '--delimiter', ';', '--id', '3', '--parts', '4', '--cost', '5'],
        ...['--decimal', 'comma', '--time', '1', '--time-format', 'DD.MM.YYYY HH:mm:ss', '--edge', '0', ...period()],
        ...['--currency', 'EUR', '--unit-cost', '0.004', '--output', differences, '--json'],
      );
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      const found = foundIn(differences);
      expect([...found].filter(([id, kind]) => planted.get(id) !== kind)).toEqual([]);
      expect([...planted].filter(([id, kind]) => found.get(id) !== kind)).toEqual([]);
      const answer = JSON.parse(stdout) as { agrees: boolean; differences: number; lines: number; billed: unknown[] };
      expect(answer).toMatchObject({ agrees: false, differences: planted.size });
      expect(answer.billed).toHaveLength(1);
      if (MESSAGES > 10_000) {
        const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
        console.log(`${answer.lines} lines, ${planted.size} planted, compared in ${seconds} s`);
      }
      expect(await database.query('select from reconciliation')).toEqual([]);
      expect(await database.query('select from cdr_line')).toEqual([]);
      expect(await database.query('select from cdr_difference')).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('smsctl reconcile', () => {
  test(
    'says that nothing differs, with exit code 0, and knows columns by their names',
    async () => {
      const cdr = join(folder, 'same.csv');
      const out = createWriteStream(cdr);
      out.write('sent at,message id\r\n');
      for await (const { carrier_message_id: id, at } of sentMessages()) out.write(`${at.toISOString()},"${id}"\r\n`);
      out.end();
      await finished(out);
      const columns = ['--carrier', 'filled', '--id', 'message id', '--time', 'sent at'];
      const { code, stdout } = await run(cdr, ...columns);
      expect(stdout).toContain('nothing differs');
      expect(code).toBe(0);
      const unknown = await run(cdr, '--carrier', 'filled', '--id', 'id');
      expect(unknown).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the file has no column "id"; it has sent at'),
      });
    },
    TIMEOUT_MS,
  );

  test.each([
    ['a carrier that is not there', ['--carrier', 'nobody', '--id', '1'], 'there is no carrier nobody'],
    ['no period', ['--carrier', 'filled', '--id', '1', '--no-header'], 'the period is not known'],
    [
      'a period without an end',
      ['--carrier', 'filled', '--id', '1', '--no-header', ...period().slice(0, 2)],
      'the period is not known',
    ],
    ['no time', ['--carrier', 'filled', '--id', '1', '--time', '2', '--no-header'], 'line 1: "when" is no time'],
    ['no amount', ['--carrier', 'filled', '--id', '1', '--cost', '2', '--no-header'], 'line 1: "when" is no amount'],
    [
      'no time between',
      ['--carrier', 'filled', '--id', '1', '--from', '2026-11-01T00:00:00Z', '--to', '2026-10-01T00:00:00Z'],
      'would end before it begins',
    ],
    [
      'a period that begins after the last time of the file',
      ['--carrier', 'filled', '--id', '1', '--time', '3', '--no-header', '--from', '2099-01-01T00:00:00Z'],
      'would end before it begins',
    ],
    ['no folder', ['--carrier', 'filled', '--id', '1', '--output', '/nowhere/at/all.csv', ...period()], 'ENOENT'],
    ['a full disk', ['--carrier', 'filled', '--id', '1', '--output', '/dev/full', ...period()], 'ENOSPC'],
  ])('%s: one line, and nothing is left behind', async (_what, flags, reason) => {
    const cdr = join(folder, 'strange.csv');
    const out = createWriteStream(cdr);
    out.end('abc,when,2026-10-05T00:00:00Z\n');
    await finished(out);
    const { code, stdout, stderr } = await run(cdr, ...flags);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(await database.query('select from reconciliation')).toEqual([]);
  });

  test('says so when the database has lost lines of the file, and compares nothing', async () => {
    const cdr = join(folder, 'lost.csv');
    writeFileSync(cdr, 'abc\ndef\n');
    await database.query(`create function lose() returns trigger language plpgsql as 'begin return null; end'`);
    await database.query(
      'create trigger lose before insert on cdr_line for each row when (new.line = 1) execute function lose()',
    );
    const { code, stdout, stderr } = await run(cdr, '--carrier', 'filled', '--id', '1', '--no-header', ...period());
    await database.query('drop trigger lose on cdr_line');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the database has lost lines of the file, as in a crash (2, now 1)');
    expect(await database.query('select from reconciliation')).toEqual([]);
  });

  test('adds up charges to more than a balance can hold, as those of a wrong column are', async () => {
    const cdr = join(folder, 'wrong-column.csv');
    writeFileSync(cdr, Array.from({ length: 30 }, (_, n) => `id-${n},447700900123\n`).join(''));
    const columns = ['--no-header', '--id', '1', '--cost', '2', '--json'];
    const { stdout, stderr } = await run(cdr, '--carrier', 'filled', ...columns, ...period());
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).kinds).toContainEqual(
      expect.objectContaining({ kind: 'extra', ids: 30, chargedCost: '13431027003690' }),
    );
  });

  test('empties the file for the differences only to write them, and never the records', async () => {
    const [cdr, output] = [join(folder, 'kept.csv'), join(folder, 'kept-differences.csv')];
    writeFileSync(cdr, 'abc\n');
    writeFileSync(output, 'of last month, and longer than the next one\n'.repeat(100));
    const flags = ['--id', '1', '--no-header', ...period()];
    const refused = await run(cdr, '--carrier', 'filled', '--output', cdr, ...flags);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--output must be another file than') });
    const piped = spawn(SMSCTL, ['reconcile', '-', '--carrier', 'filled', '--output', cdr, ...flags], {
      env: { PATH: process.env.PATH ?? '', DATABASE_URL: server.url },
      stdio: [openSync(cdr, 'r'), 'ignore', 'ignore'],
    });
    expect(await once(piped, 'close')).toEqual([1, null]);
    expect(readFileSync(cdr, 'utf8')).toBe('abc\n');
    await run(cdr, '--carrier', 'nobody', '--output', output, ...flags);
    expect(readFileSync(output, 'utf8')).toMatch(/^of last month/);
    const made = join(folder, 'never-written.csv');
    expect(await run(cdr, '--carrier', 'nobody', '--output', made, ...flags)).toMatchObject({ code: 1 });
    expect(existsSync(made)).toBe(false);
    await run(cdr, '--carrier', 'filled', '--output', output, ...flags);
    expect(readFileSync(output, 'utf8')).toMatch(/^kind,[^\n]*\nextra,1,1,abc,/);
    expect(readFileSync(output, 'utf8')).not.toContain('of last month');
  });
});
