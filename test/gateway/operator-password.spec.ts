import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { loadConfig } from '#config';
import { LoginDelays } from '../../apps/gateway/operator/login-delays.js';
import { type RunningGateway, startGateway } from '../../apps/gateway/start-gateway.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { HttpClient } from '../support/http-client.js';

let database: TestDatabase;
let gateway: RunningGateway;
let http: HttpClient;
const lines: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const settings = { PORT: '0', OPERATOR_PORT: '0', HOST: '127.0.0.1', DATABASE_URL: database.url };
  gateway = await startGateway(
    loadConfig({ ...settings, OPERATOR_PASSWORD, TRUSTED_PROXIES: '127.0.0.1' }),
    pino({ level: 'warn' }, stream),
  );
  http = new HttpClient(gateway.operatorPort ?? 0);
});
afterAll(async () => {
  http.close();
  await gateway.close();
  await database.drop();
});

const login = (password: string, from: string) =>
  http.request('GET', '/metrics/targets', {
    headers: {
      Authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
      'X-Forwarded-For': from,
    },
  });

describe('guessing the operator password', () => {
  test('is slow from the tenth wrong one on, is told once, counted, and delays nobody elsewhere', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await login(`guess ${n}`, '192.0.2.1')).status);
    expect(statuses).toEqual(Array(11).fill(401));
    // The eleventh is followed by a second in which nobody from there gets in: all of these at once, to be within it.
    const more = Array.from({ length: 20 }, (_, n) => login(`guess ${11 + n}`, '192.0.2.1'));
    const delayed = await login(OPERATOR_PASSWORD, '192.0.2.1');
    const later = (await Promise.all(more)).map(({ status }) => status);
    expect(later.filter((status) => status === 429).length).toBeGreaterThanOrEqual(15);
    expect(delayed.status).toBe(429);
    expect(Number(delayed.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await login(OPERATOR_PASSWORD, '192.0.2.2')).status).toBe(200);
    const told = lines.filter((line) => line.includes('a wrong operator password was sent'));
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThan(4);
    expect(lines.join('')).not.toContain('guess');
    const metrics = await http.request('GET', '/metrics', {
      headers: {
        Authorization: `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`,
        'X-Forwarded-For': '192.0.2.3',
      },
    });
    expect(metrics.text).toMatch(/^heliograph_operator_logins_failed_total(\{[^}]*\})? 1[1-9]$/m);
  });

  test('typing errors and requests without a password do not delay', async () => {
    for (let n = 0; n < 5; n += 1) expect((await login('typo', '192.0.2.9')).status).toBe(401);
    for (let n = 0; n < 30; n += 1) {
      expect(
        (await http.request('GET', '/metrics/targets', { headers: { 'X-Forwarded-For': '192.0.2.9' } })).status,
      ).toBe(401);
    }
    expect((await login(OPERATOR_PASSWORD, '192.0.2.9')).status).toBe(200);
  });

  test('the delay doubles up to a minute, and ends', () => {
    const delays = new LoginDelays();
    const waits = Array.from({ length: 20 }, () => {
      delays.failed('a', 0);
      return delays.waitMs('a', 0) / 1_000;
    });
    expect(waits).toEqual([...Array(10).fill(0), 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
    expect(delays.waitMs('a', 60_000)).toBe(0);
    expect(delays.waitMs('b', 0)).toBe(0);
    delays.succeeded('a');
    delays.failed('a', 60_000);
    expect(delays.waitMs('a', 60_000)).toBe(0);
  });
});

test('an operator password of less than 16 characters is refused in one line', () => {
  expect(() => loadConfig({ OPERATOR_PASSWORD: 'fifteen letters' })).toThrow(
    'OPERATOR_PASSWORD must have at least 16 characters',
  );
  expect(loadConfig({ OPERATOR_PASSWORD: 'sixteen letters!' }).OPERATOR_PASSWORD).toBe('sixteen letters!');
});
