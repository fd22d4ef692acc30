import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig, readStartOptions, wantsDemo } from '#config';
import { addCarrier, addOperator, type Database, listAccounts, listCarriers, listTariffs } from '#persistence';
import { banner } from '../../scripts/supervisor/banner.js';
import { carrierWarnings, nextSteps, readSetup, type Setup } from '../../scripts/supervisor/next-steps.js';
import { seed } from '../../scripts/supervisor/prepare-database.js';
import { startService } from '../../scripts/supervisor/start-service.js';
import { Teardown } from '../../scripts/supervisor/teardown.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { openTestDatabase, TEST_SECRET_KEYS, TEST_SECRETS_KEY } from '../support/secrets.js';
import { smppCarrier } from '../support/smpp-carrier.js';

const MIGRATE = fileURLToPath(new URL('../../scripts/migrate.js', import.meta.url));

describe('npm start adds a demo', () => {
  const own = { DATABASE_URL: 'postgres://h/d' };
  test.each([
    [[], {}, true],
    [[], own, false],
    [[], { REDIS_URL: 'redis://h' }, false],
    [['--demo'], own, true],
    [['--no-demo'], {}, false],
  ])('with %j and %j: %j', (args, servers, expected) => {
    expect(wantsDemo(readStartOptions(args, {}), servers)).toBe(expected);
  });

  test('when npm keeps --demo to itself and says it by a variable', () => {
    expect(wantsDemo(readStartOptions([], { npm_config_demo: 'true' }), own)).toBe(true);
    expect(wantsDemo(readStartOptions([], { npm_config_demo: '' }), {})).toBe(false);
  });

  test('and refuses an option that it does not know', () => {
    expect(() => readStartOptions(['--dmeo'], {})).toThrow(ConfigError);
  });
});

/** Nice values by role: PostgreSQL goes before a gateway, and a gateway before the others. */
const LOWER_PRIORITIES = Object.fromEntries(
  Object.entries({ gateway: 3, webhooks: 10, worker: 10 }).map(([role, nice]) => [role, Math.max(nice, getPriority())]),
);

async function priorities(database: Database): Promise<Record<string, number>> {
  const processes = await database.query<{ role: string; pid: string }>(
    "select role, split_part(process_id, '-', -2) as pid from process_heartbeat",
  );
  return Object.fromEntries(processes.map(({ role, pid }) => [role, getPriority(Number(pid))]));
}

describe("npm start on an operator's own database", () => {
  let server: TestDatabase;
  let database: Database;
  let dir: string;

  beforeAll(async () => {
    server = await createTestDatabase();
    database = await openTestDatabase(server.url);
    dir = mkdtempSync(join(tmpdir(), "heliograph's start-"));
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(simulatorPort: string): Promise<{ words: string; stop: () => Promise<void> }> {
    const teardown = new Teardown();
    const settings = {
      DATABASE_URL: server.url,
      DATA_DIR: dir,
      HOST: '127.0.0.1',
      PORT: '0',
      OPERATOR_PORT: '0',
      SIMULATOR_PORT: simulatorPort,
      LOG_LEVEL: 'warn',
      SECRETS_KEY: TEST_SECRETS_KEY,
    };
    const stop = () => teardown.run(() => undefined);
    try {
      const config = loadConfig(settings);
      const hasDemo = wantsDemo({ demo: undefined }, config);
      const never = new AbortController().signal;
      const words = await startService(
        config,
        hasDemo,
        teardown,
        never,
        () => undefined,
        () => undefined,
      );
      return { words, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  test('adds no account and no carrier, leaves the port of the simulator alone, and says what to do next', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const address = occupant.address();
    const { words, stop } = await start(String(typeof address === 'object' ? address?.port : 0));
    try {
      expect(await listAccounts(database)).toEqual([]);
      expect(await listCarriers(database)).toEqual([]);
      expect(await listTariffs(database)).toHaveLength(3);
      expect(JSON.parse(readFileSync(join(dir, 'runtime.json'), 'utf8'))).not.toHaveProperty('simulatorPort');
      // A shell takes the folder as one word, although there are an apostrophe and a space in its name.
      const [, place = ''] = /^(DATA_DIR=.*) bin\/smsctl account create --name acme --currency EUR$/m.exec(words) ?? [];
      expect(execFileSync('sh', ['-c', `${place} printenv DATA_DIR`], { encoding: 'utf8' })).toBe(`${dir}\n`);
      expect(words).toContain('carrier add main smpp://user@smsc.example.net:2775 --paused');
      expect(words).toMatch(/Operator .*, name: admin, password: .* \(shown once; kept in .*operator-password\)\n/);
      expect(words).not.toMatch(/API key {2}|curl/);
      await eventually(async () => expect(await priorities(database)).toEqual(LOWER_PRIORITIES));
    } finally {
      await stop();
      occupant.close();
    }
  });

  test('reports a simulator that an earlier start added beside a real carrier', async () => {
    await addCarrier(database, smppCarrier({ name: 'acme' }));
    await addCarrier(database, smppCarrier({ name: 'simulator', simulator: true }));
    await addOperator(database, 'alice', 'admin');
    const told = banner({
      apiUrl: 'http://localhost:8080',
      operatorUrl: 'http://localhost:8081',
      operatorPassword: 'password: of the first start',
      database: 'PostgreSQL',
      queue: 'PostgreSQL',
      dataDir: dir,
      demo: undefined,
      setup: await readSetup(server.url),
      smsctl: 'bin/smsctl',
    });
    // The password of the first start opens nothing once somebody else is admin.
    expect(told).toMatch(/Operator .*, with a name of your own: .*bin\/smsctl operator list\n/);
    expect(told).not.toContain('of the first start');
    expect(told).toContain('The carrier "simulator" is a simulator beside acme');
    expect(told).toContain('bin/smsctl carrier remove simulator');
    const toldByMigrate = execFileSync(process.execPath, [MIGRATE], {
      env: { PATH: process.env.PATH, DATABASE_URL: server.url, SECRETS_KEY: TEST_SECRETS_KEY },
      encoding: 'utf8',
    });
    expect(toldByMigrate).toContain('The database is up to date.');
    expect(toldByMigrate).toContain('The carrier "simulator" is a simulator beside acme');
    expect(await listAccounts(database)).toEqual([]);
  });
});

test('migrate refuses an option that it does not know before it looks at the database', () => {
  // Nobody listens there.
  const env = { PATH: process.env.PATH, DATABASE_URL: 'postgres://127.0.0.1:1/x' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MIGRATE, '--dry-run'], { env, encoding: 'utf8' });
  const refusal = 'migrate: there is no option --dry-run: use --demo or --no-demo\n';
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: refusal });
});

test('a demo account whose key was cut off in its file, as by a full disk, gets another key', async () => {
  const server = await createTestDatabase();
  const dir = mkdtempSync(join(tmpdir(), 'heliograph-demo-'));
  const file = join(dir, 'demo.json');
  const make = () => seed(server.url, { host: '127.0.0.1', port: 2775 }, file, TEST_SECRET_KEYS);
  try {
    const first = await make();
    expect(await make()).toEqual(first);
    writeFileSync(file, '{"accountId":');
    const second = await make();
    expect(second).toEqual({ accountId: first.accountId, apiKey: expect.not.stringMatching(first.apiKey) });
    expect(await make()).toEqual(second);
  } finally {
    await server.drop();
    rmSync(dir, { recursive: true, force: true });
  }
});

describe('the lines about carriers', () => {
  const setup: Setup = { hasAccounts: true, admins: 'first', realCarriers: [], simulators: [] };

  test('say that messages wait where the simulator is the only carrier and is not started', () => {
    expect(carrierWarnings({ ...setup, simulators: ['simulator'] }, false, 'bin/smsctl').join()).toContain(
      'messages wait',
    );
    expect(carrierWarnings({ ...setup, simulators: ['simulator'] }, true, 'bin/smsctl')).toEqual([]);
  });

  test('are silent where there is nothing to say, and name only what is missing', () => {
    expect(carrierWarnings({ ...setup, realCarriers: ['acme'] }, true, 'bin/smsctl')).toEqual([]);
    expect(nextSteps({ ...setup, realCarriers: ['acme'] }, 'bin/smsctl').join()).not.toMatch(
      /account create|carrier add/,
    );
  });
});
