import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FILE_SETTINGS, loadConfig, makeSecretsKey, parseSecretsKeys, processEnvironment } from '#config';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'setting-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const VALUES = {
  OPERATOR_PASSWORD: 'correct horse battery staple',
  METRICS_PASSWORD: 'another horse battery',
  DATABASE_URL: 'postgres://a:b@localhost/heliograph',
  DATABASE_DIRECT_URL: 'postgres://a:b@localhost/direct',
  DATABASE_REPLICA_URL: 'postgres://a:b@localhost/replica',
  REDIS_URL: 'redis://:secret@localhost:6379',
  SECRETS_KEY: makeSecretsKey(),
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret',
} as const;

describe('a secret in a file', () => {
  test('counts like one in the environment, for every setting that may have one', () => {
    const environment = Object.fromEntries(
      FILE_SETTINGS.map((name) => [`${name}_FILE`, fileOf(name, `${VALUES[name]}\n`)]),
    );
    expect(loadConfig(environment)).toMatchObject(VALUES);
  });

  test('beside the same setting is refused in one line that shows neither', () => {
    const refused = () =>
      loadConfig({
        OPERATOR_PASSWORD: 'in the environment, long enough',
        OPERATOR_PASSWORD_FILE: fileOf('OPERATOR_PASSWORD', 'in a file'),
      });
    expect(refused).toThrow('OPERATOR_PASSWORD and OPERATOR_PASSWORD_FILE are both set: keep one of them');
  });

  test.each([
    ['/nowhere/secret', 'REDIS_URL_FILE: /nowhere/secret cannot be read (ENOENT)'],
    [() => fileOf('empty', ' \n'), /REDIS_URL_FILE: .*empty is empty/],
  ])('that is not there or empty is said with its name', (file, words) => {
    expect(() => loadConfig({ REDIS_URL_FILE: typeof file === 'string' ? file : file() })).toThrow(words);
  });
});

test('a blank setting counts as unset, also where 0 would mean something', () => {
  const blank = { PORT: ' ', LEDGER_VERIFY_SECONDS: ' ', SENDER: ' ', DATABASE_URL: '\n', REDIS_URL_FILE: ' ' };
  expect(loadConfig(blank)).toEqual(loadConfig({}));
});

test('a process of npm start reaches PostgreSQL as npm start does, and gets no secret of another one', () => {
  const machine = {
    PATH: '/bin',
    PGSSLMODE: 'verify-full',
    PGPASSFILE: '/etc/pgpass',
    PGPASSWORD: 'hush',
    MY_KEY: 'x',
  };
  const { PATH, PGSSLMODE, PGPASSFILE, ...others } = processEnvironment(loadConfig({}), 'carrier-simulator', machine);
  expect([PATH, PGSSLMODE, PGPASSFILE]).toEqual(['/bin', 'verify-full', '/etc/pgpass']);
  expect(Object.keys(others)).toEqual(['SIMULATOR_PORT', 'SIMULATOR_HOST', 'LOG_LEVEL']);
});

test('what is no number is neither too large nor too small', () => {
  expect(() => loadConfig({ PORT: 'x', TRACE_SAMPLE_RATIO: 'y' })).toThrow(
    /^PORT must be an integer number; TRACE_SAMPLE_RATIO must be a number$/,
  );
});

test('TRUSTED_PROXIES does not name every address: nobody could be told from anybody then', () => {
  for (const networks of ['0.0.0.0/0', '10.0.0.0/8,::/0']) {
    expect(() => loadConfig({ TRUSTED_PROXIES: networks })).toThrow(
      /^TRUSTED_PROXIES must not name all addresses: any client could choose its own then$/,
    );
  }
  expect(loadConfig({ TRUSTED_PROXIES: '0.0.0.0/1,::1' }).TRUSTED_PROXIES).toBe('0.0.0.0/1,::1');
});

describe('SECRETS_KEY', () => {
  test('is 32 bytes in base64 or hexadecimal, several of them in lines, with comments', () => {
    const hex = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
    const keys = parseSecretsKeys(`# made in May\n${VALUES.SECRETS_KEY}\n\n# made in April\n${hex}\n`);
    expect(keys.map((key) => key.toString('hex'))).toEqual([
      Buffer.from(VALUES.SECRETS_KEY, 'base64').toString('hex'),
      hex,
    ]);
  });

  test.each([
    'short',
    'a'.repeat(63),
    Buffer.alloc(31).toString('base64'),
    '# only a comment',
    `${VALUES.SECRETS_KEY} no`,
  ])('that is not is refused, without showing it: %#', (text) => {
    expect(() => loadConfig({ SECRETS_KEY: text })).toThrow(/^SECRETS_KEY (must be 32 bytes|holds no key)/);
    expect(() => loadConfig({ SECRETS_KEY: text })).not.toThrow(text);
  });
});

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
