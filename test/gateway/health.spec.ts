import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { loadConfig, VERSION } from '#config';
import { doctor } from '#operations';
import { addCarrier, Database, setCarrierPaused } from '#persistence';
import { type RunningGateway, startGateway } from '../../apps/gateway/start-gateway.js';
import { recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { SHORT_LIVED_NODE_FLAGS } from '../../scripts/process/short-lived-node-flags.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { HttpClient, type HttpReply } from '../support/http-client.js';
import { TEST_SECRET_KEYS } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const GATEWAY = fileURLToPath(new URL('../../apps/gateway/main.js', import.meta.url));

let database: TestDatabase;
let gateway: RunningGateway;
let http: HttpClient;
let onTakenPort: Promise<{ code: unknown; stdout: string }>;
const warnings: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: database.url };
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
  gateway = await startGateway(loadConfig(settings), log);
  http = new HttpClient(gateway.port);
  // It starts while other tests wait.
  onTakenPort = new Promise((resolve) => {
    const { PATH = '' } = process.env;
    const env = { ...settings, PATH, PORT: String(gateway.port), LOG_LEVEL: 'error' };
    execFile(process.execPath, [...SHORT_LIVED_NODE_FLAGS, GATEWAY], { env }, (error, stdout) =>
      resolve({ code: error?.code, stdout }),
    );
  });
});
afterAll(async () => {
  http.close();
  await gateway.close();
  await database.drop();
});

describe('health', () => {
  test('without OPERATOR_PASSWORD there is no operator listener, and one line says what is missing', () => {
    expect(gateway.operatorPort).toBeUndefined();
    const words = warnings.filter((warning) => warning.includes('OPERATOR_PASSWORD'));
    expect(words).toEqual([
      'OPERATOR_PASSWORD is not set, and there is no admin (smsctl operator add): this gateway serves nothing on OPERATOR_PORT',
    ]);
  });

  test('/healthz needs no key and says that the process runs, and its version', async () => {
    const reply = await http.request('GET', '/healthz');
    expect([reply.status, reply.json]).toEqual([200, { status: 'ok', version: VERSION }]);
  });

  test('/readyz says what the gateway needs', async () => {
    const reply = await http.request('GET', '/readyz');
    expect([reply.status, reply.json]).toEqual([
      200,
      { status: 'ready', database: 'up', queue: 'up', carriers: 'none' },
    ]);
  });

  test('a thousand calls of /readyz in a second are one look at the database', async () => {
    const query = jest.spyOn(Database.prototype, 'query');
    try {
      const replies: HttpReply[] = [];
      for (let round = 0; round < 10; round += 1) {
        replies.push(...(await Promise.all(Array.from({ length: 100 }, () => http.request('GET', '/readyz')))));
      }
      // Four statements for each call were 4,000. A slow machine takes some seconds, and looks once in each.
      expect(query.mock.calls.length).toBeLessThan(400);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      await eventually(async () => {
        await http.request('GET', '/readyz');
        return query.mock.calls.length >= 4;
      });
    } finally {
      query.mockRestore();
    }
  });

  test('/readyz says whether messages can go: by all carriers, by some, by none; names are not told', async () => {
    const carriers = async () => (await http.request('GET', '/readyz')).as<{ carriers: string }>().carriers;
    const store = await Database.open({
      url: database.url,
      poolSize: 1,
      applicationName: 'spec',
      secretKeys: TEST_SECRET_KEYS,
    });
    try {
      for (const name of ['one', 'two', 'idle']) await addCarrier(store, smppCarrier({ name }));
      await setCarrierPaused(store, 'idle', true);
      // The answer is kept for a second.
      await eventually(async () => expect(await carriers()).toBe('down'));
      const bound = (names: readonly string[]) => ({
        processId: 'w',
        role: 'worker' as const,
        details: { carriers: names.map((name) => ({ name, state: 'bound' })) },
      });
      await recordHeartbeat(store, bound(['one']));
      await eventually(async () => expect(await carriers()).toBe('partly'));
      await recordHeartbeat(store, bound(['one', 'two']));
      await eventually(async () => expect(await carriers()).toBe('up'));
      expect((await http.request('GET', '/readyz')).status).toBe(200);
    } finally {
      await store.close();
    }
  });

  test('on a port that is taken it ends with one line, which names the setting', async () => {
    const { code, stdout } = await onTakenPort;
    const { level, msg, err } = JSON.parse(stdout) as Record<string, unknown>;
    const words = `port ${gateway.port} on 127.0.0.1 is taken: set PORT to a free one`;
    expect({ code, level, msg, err }).toEqual({ code: 1, level: 60, msg: words });
  });

  const readiness = async () => (await http.request('GET', '/readyz')).json;
  /** Changes the database, and ends its sessions, so that new ones find the change. */
  const alterDatabase = async (change: string) => {
    const maintenance = new URL(database.url);
    maintenance.pathname = '/postgres';
    const name = new URL(database.url).pathname.slice(1);
    const client = new pg.Client({ connectionString: maintenance.href });
    await client.connect();
    await client.query(`alter database ${name} ${change}`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await client.end();
  };

  test('on a database that takes no writes it is not ready, and the doctor says why', async () => {
    await alterDatabase('set default_transaction_read_only = on');
    try {
      await eventually(async () => expect(await readiness()).toMatchObject({ database: 'read-only' }));
      const reply = await http.request('GET', '/readyz');
      expect([reply.status, reply.json]).toMatchObject([503, { status: 'unready', database: 'read-only' }]);
      const store = await Database.open({ url: database.url, poolSize: 1, applicationName: 'spec' });
      const servers = { replicaUrl: undefined, redisUrl: undefined, source: 'spec', examiner: 'spec' };
      const { checks } = await doctor(servers, async () => store).finally(() => store.close());
      const found = checks.find(({ check }) => check === 'database');
      expect(found).toMatchObject({ state: 'fail', runbook: 'database-failover' });
      expect(found?.detail).toMatch(/it is read-only: nothing can be accepted or sent$/);
    } finally {
      await alterDatabase('reset default_transaction_read_only');
    }
    await eventually(async () => expect(await readiness()).toMatchObject({ status: 'ready', database: 'up' }));
  });

  test('without its database it is alive but not ready, sends and reads answer 503, and it comes back by itself', async () => {
    await alterDatabase('with allow_connections false');
    try {
      await eventually(async () => (await http.request('GET', '/readyz')).status === 503);
      expect(await readiness()).toMatchObject({ status: 'unready', database: 'down' });
      expect((await http.request('GET', '/healthz')).status).toBe(200);
      const headers = { 'X-Authorization': 'hg_00000000_'.padEnd(55, 'A') };
      const reply = await http.request('GET', '/v1/account', { headers });
      expect([reply.status, reply.as<{ code: string }>().code]).toEqual([503, 'unavailable']);
      expect(reply.headers['retry-after']).toBe('1');
    } finally {
      await alterDatabase('with allow_connections true');
    }
    await eventually(async () => (await http.request('GET', '/readyz')).status === 200);
  });
});
