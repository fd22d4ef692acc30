import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const SHOWN = ['DB', 'PGPASSWORD', 'REDIS', 'REDISCLI_AUTH'];

/** What a shell has in its variables after it has read deploy/addresses.sh; of a variable that is not set, nothing. */
function addressesOf(credentials: Record<string, string>): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-addresses-'));
  try {
    for (const [name, address] of Object.entries(credentials)) writeFileSync(join(folder, name), `${address}\n`);
    const show = SHOWN.map((name) => `[ -z "\${${name}+set}" ] || echo "${name}=$${name}"`).join('; ');
    const out = execFileSync('sh', ['-euc', `. deploy/addresses.sh; ${show}`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, CREDENTIALS: folder },
    });
    return Object.fromEntries(out.split('\n').flatMap((line) => (line ? [line.split(/=(.*)/s).slice(0, 2)] : [])));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the addresses for psql and redis-cli', () => {
  test('have no password, and the variables beside them have it as the servers know it', () => {
    expect(
      addressesOf({
        'database-url': 'postgres://heliograph:p%40ss%3Aw%2Frd%201@db.example:5432/heliograph?sslmode=verify-full',
        'redis-url': 'rediss://default:r%40d%2Fis@redis.example:6379/2',
      }),
    ).toEqual({
      DB: 'postgres://heliograph@db.example:5432/heliograph?sslmode=verify-full',
      PGPASSWORD: 'p@ss:w/rd 1',
      REDIS: 'rediss://redis.example:6379/2',
      REDISCLI_AUTH: 'r@d/is',
    });
  });

  test('lead to the server itself behind PgBouncer', () => {
    const { DB, PGPASSWORD } = addressesOf({
      'database-url': 'postgres://heliograph:a@bouncer.example:6432/heliograph',
      'database-direct-url': 'postgres://heliograph:b@db.example:5432/heliograph',
    });
    expect([DB, PGPASSWORD]).toEqual(['postgres://heliograph@db.example:5432/heliograph', 'b']);
  });

  test('may be those of a socket and of Sentinels, which are no URLs for Node', () => {
    const { DB, PGPASSWORD, REDIS, REDISCLI_AUTH } = addressesOf({
      'database-url': 'postgres://heliograph:a%2Fb@/heliograph?host=/run/postgresql',
      'redis-url': 'redis+sentinel://user:c@one.example:26379,two.example:26379/mymaster/0',
    });
    expect([DB, PGPASSWORD]).toEqual(['postgres://heliograph@/heliograph?host=/run/postgresql', 'a/b']);
    expect([REDIS, REDISCLI_AUTH]).toEqual(['redis+sentinel://one.example:26379,two.example:26379/mymaster/0', 'c']);
  });

  test('are the same where there are no passwords, and where the queue is in PostgreSQL', () => {
    const database = 'postgres://heliograph@127.0.0.1/heliograph';
    const redis = 'redis://127.0.0.1:6379';
    expect(addressesOf({ 'database-url': database, 'redis-url': redis })).toEqual({
      DB: database,
      PGPASSWORD: '',
      REDIS: redis,
    });
    expect(addressesOf({ 'database-url': database })).toEqual({ DB: database, PGPASSWORD: '' });
  });
});

test('no document hands a password to a program on its command line', () => {
  const files = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const faults = files.flatMap((file) =>
    readFileSync(join('docs', file), 'utf8')
      .split('\n')
      .filter((line) =>
        /\b(psql|pg_dump|pg_restore|vacuumdb|redis-cli)\b.*_URL|\bcurl\b.*( -u \S*PASSWORD|Bearer)/.test(line),
      )
      .map((line) => `${file}: ${line}`),
  );
  expect(faults).toEqual([]);
});
