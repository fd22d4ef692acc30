import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { loadConfig, processDetails } from '#config';
import { doctor } from '#operations';
import { addCarrier, addOperator, Database, setCarrierPaused } from '#persistence';
import { recordHeartbeat, removeHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { makeTraffic } from '../persistence/ledger-traffic.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { testRedisUrl } from '../support/redis.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';

const CONFIG = loadConfig({});

describe('doctor', () => {
  let server: TestDatabase;
  let database: Database;
  const states = async (redisUrl?: string): Promise<Record<string, string>> => {
    const servers = { replicaUrl: undefined, redisUrl, source: 'spec', examiner: 'smsctl' };
    const { checks: findings } = await doctor(servers, async () => database);
    return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
  };
  const beat = (carrierState: string) =>
    Promise.all([
      recordHeartbeat(database, { processId: 'g', role: 'gateway', details: { ...processDetails(CONFIG, 'gateway') } }),
      recordHeartbeat(database, {
        processId: 'w',
        role: 'worker',
        details: { ...processDetails(CONFIG, 'worker'), carriers: [{ name: 'acme', state: carrierState }] },
      }),
    ]);

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await Database.open({
      url: server.url,
      poolSize: 2,
      applicationName: 'spec',
      secretKeys: TEST_SECRET_KEYS,
    });
    await database.query('create schema if not exists bullmq');
    await database.query('create table if not exists bullmq.presence (id int)');
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  test('names each part that is missing from a service that does not run', async () => {
    expect(await states()).toMatchObject({
      database: 'ok',
      clock: 'ok',
      queue: 'ok',
      gateways: 'fail',
      workers: 'fail',
      carriers: 'fail',
    });
  });

  test('finds nothing wrong with a service that runs', async () => {
    await addCarrier(database, {
      name: 'acme',
      host: 'h',
      port: 1,
      systemId: 'u',
      password: 'p',
      tls: false,
      windowSize: 1,
      submitsPerSecond: undefined,
      messageIdFormat: 'as-is',
      defaultAlphabet: 'gsm0338',
      inDoubtPolicy: 'resend',
    });
    await beat('bound');
    const { 'database role': _superuser, ...others } = await states();
    expect(Object.values(others).filter((state) => state !== 'ok')).toEqual([]);
  });

  test('warns of a paused carrier and fails on one that no worker is bound to', async () => {
    await beat('connecting');
    expect((await states())['carrier acme']).toBe('fail');
    await setCarrierPaused(database, 'acme', true);
    expect((await states())['carrier acme']).toBe('warn');
  });

  test('warns of an admin who signs in with a password alone', async () => {
    await addOperator(database, 'vera', 'viewer');
    expect(await states()).not.toHaveProperty('second factors');
    await addOperator(database, 'alice', 'admin');
    expect((await states())['second factors']).toBe('warn');
    await database.query(`update operator set totp_secret = 'x' where name = 'alice'`);
    expect((await states())['second factors']).toBe('ok');
  });

  test('takes a process that fell silent for dead', async () => {
    await database.query(`update process_heartbeat set seen_at = now() - interval '20 seconds' where process_id = 'g'`);
    expect(await states()).toMatchObject({ gateways: 'fail', workers: 'ok' });
    await removeHeartbeat(database, 'w');
    expect(await states()).toMatchObject({ workers: 'fail' });
  });

  test('fails when the database is away', async () => {
    const servers = {
      replicaUrl: undefined,
      redisUrl: undefined,
      source: 'spec',
      examiner: 'smsctl',
    };
    const { checks: findings } = await doctor(servers, () =>
      Database.openSingle({ url: 'postgres://127.0.0.1:1/x', applicationName: 'spec', secretKeys: TEST_SECRET_KEYS }),
    );
    expect(findings).toMatchObject([{ check: 'database', state: 'fail' }]);
  });

  test('names the page about upgrades when the database is not migrated', async () => {
    const { url, drop } = await createEmptyDatabase();
    const { checks } = await doctor(
      { replicaUrl: undefined, redisUrl: undefined, source: 'spec', examiner: 'smsctl' },
      () => Database.openSingle({ url, applicationName: 'spec', secretKeys: TEST_SECRET_KEYS }),
    );
    expect(checks).toMatchObject([{ check: 'schema', state: 'fail', runbook: 'upgrade' }]);
    await drop();
  });

  test('fails when Redis is away', async () => {
    expect((await states('redis://127.0.0.1:1')).queue).toBe('fail');
  });

  const redisUrl = testRedisUrl();
  if (redisUrl !== undefined) {
    test('asks Redis when the queue is there', async () => {
      expect(['ok', 'warn']).toContain((await states(redisUrl)).queue);
    });

    test('fails when Redis answers and takes no jobs, and leaves nothing there', async () => {
      const redis = new Redis(redisUrl);
      const reader = `doctor-${process.pid}`;
      await redis.acl('SETUSER', reader, 'on', '>pw', '~*', '+@all', '-setrange');
      try {
        const url = new URL(redisUrl);
        [url.username, url.password] = [reader, 'pw'];
        const servers = { replicaUrl: undefined, redisUrl: url.href, source: 'spec', examiner: 'smsctl' };
        const found = (await doctor(servers, async () => database)).checks.find(({ check }) => check === 'queue');
        expect(found).toMatchObject({ state: 'fail', runbook: 'redis-lost' });
        expect(found?.detail).toMatch(/^Redis answers, but takes no jobs: ./);
        expect(await redis.keys('*doctor*')).toEqual([]);
      } finally {
        await redis.acl('DELUSER', reader);
        redis.disconnect();
      }
    });
  }
});

test('doctor finds messages that nobody looks after', async () => {
  const server = await createTestDatabase();
  const database = await Database.open({
    url: server.url,
    poolSize: 2,
    applicationName: 'spec',
    secretKeys: TEST_SECRET_KEYS,
  });
  try {
    const ids = await makeTraffic(database);
    await database.query(
      `update message_order set due_at = now() - interval '2 minutes', created_at = now() - interval '1 hour' where id = $1`,
      [ids.queued],
    );
    await database.query(`update segment set state = 'in_doubt', in_doubt_since = now() where message_id = $1`, [
      ids.sending,
    ]);
    const { checks: findings } = await doctor(
      { replicaUrl: undefined, redisUrl: undefined, source: 'spec', examiner: 'smsctl' },
      async () => database,
    );
    expect(findings.filter(({ check }) => /messages|doubt/.test(check))).toMatchObject([
      { check: 'queued messages', state: 'fail' },
      { check: 'overdue messages', state: 'fail' },
      { check: 'segments in doubt', state: 'warn' },
    ]);
  } finally {
    await database.close();
    await server.drop();
  }
});
