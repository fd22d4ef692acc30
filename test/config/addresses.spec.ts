import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '#config';

describe('the address of a database', () => {
  test.each([
    ['postgres://user:hush@db:70000/heliograph', 'a port is at most 65535'],
    ['postgres://user:hu/hush@db/heliograph', '%2F for /'],
    ['mysql://user:hush@db/heliograph', 'must be a postgres:// URL'],
  ])('%s is refused in one line that names the setting, and shows no password', (url, rule) => {
    for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL']) {
      const faults = faultsOf({ DATABASE_URL: 'postgres://db/heliograph', [name]: url });
      expect(faults.filter((line) => line.includes(name) && line.includes(rule))).toHaveLength(1);
      expect(faults.join()).not.toContain('hush');
    }
  });

  test.each([
    'postgres://db/heliograph',
    'postgresql://us%40er:p%2Fw@[::1]:65535/heliograph?sslmode=verify-full',
    'postgres:///heliograph?host=/run/postgresql',
    'postgres://user:secret@/heliograph?host=/run/postgresql',
  ])('%s is one', (url) => {
    expect(loadConfig({ DATABASE_URL: url })).toMatchObject({ DATABASE_URL: url });
  });
});

test('spaces around SENDER are not part of it, and it is not made of spaces alone', () => {
  expect(loadConfig({ SENDER: ' My Shop ' })).toMatchObject({ SENDER: 'My Shop' });
  expect(faultsOf({ SENDER: 'My\tShop' })).toEqual([expect.stringContaining('SENDER must be up to 11 letters')]);
});

function faultsOf(environment: Readonly<Record<string, string>>): string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    return String((error as Error).message).split('; ');
  }
  return [];
}
