import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig, PROCESS_SETTINGS, type ServiceProcessName, VERSION } from '#config';
import { listCarriers } from '#persistence';
import { startService } from '../../scripts/supervisor/start-service.js';
import { Teardown } from '../../scripts/supervisor/teardown.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { openTestDatabase, TEST_SECRETS_KEY } from '../support/secrets.js';

const NAMES = ['gateway', 'worker', 'webhooks', 'carrier-simulator'] as const satisfies ServiceProcessName[];
const OPERATOR_PASSWORD = 'of the operator alone';
const loopback = Object.values(networkInterfaces()).flatMap((all) => all?.filter(({ internal }) => internal) ?? []);
const SIMULATOR_HOST = loopback.some(({ family }) => family === 'IPv6') ? '::1' : '127.0.0.1';

describe('a process of npm start', () => {
  let server: TestDatabase;
  let dir: string;
  const teardown = new Teardown();
  let environments: Map<string, Map<string, string>>;

  beforeAll(async () => {
    server = await createTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'heliograph-settings-'));
    process.env.NOT_FOR_CHILDREN = 'of the shell that started it';
    const config = loadConfig({
      DATABASE_URL: server.url,
      DATA_DIR: dir,
      HOST: '127.0.0.1',
      PORT: '0',
      OPERATOR_PORT: '0',
      SIMULATOR_PORT: '0',
      SIMULATOR_HOST,
      WORKER_METRICS_PORT: '0',
      WEBHOOKS_METRICS_PORT: '0',
      SECRETS_KEY: TEST_SECRETS_KEY,
      OPERATOR_PASSWORD,
      SENDER: 'Spec',
      BATCH_MESSAGES_MAX: '77',
    });
    const nothing = () => undefined;
    await startService(config, true, teardown, new AbortController().signal, nothing, nothing);
    environments = new Map(childrenOfOurs().map((pid) => [appOf(pid), environmentOf(pid)]));
  });
  afterAll(async () => {
    delete process.env.NOT_FOR_CHILDREN;
    await teardown.run(() => undefined);
    await server.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  test.each(NAMES)('%s knows its own settings and the machine, and nothing else', (name) => {
    const environment = environments.get(name) ?? new Map();
    const settings = [...environment.keys()].filter(
      (variable) => Object.hasOwn(loadConfig({}), variable) || isSecret(variable),
    );
    expect(settings.length).toBeGreaterThan(1);
    const known = PROCESS_SETTINGS[name].map(String);
    expect(
      settings.filter((setting) => !known.includes(setting) && !known.includes(setting.replace(/_FILE$/, ''))),
    ).toEqual([]);
    expect([...environment.keys()]).not.toContain('NOT_FOR_CHILDREN');
  });

  test('no process but the gateway knows the password of the operator', () => {
    const knowing = [...environments].filter(([, variables]) => [...variables.values()].includes(OPERATOR_PASSWORD));
    expect(knowing.map(([name]) => name)).toEqual(['gateway']);
  });

  test('the simulator, which is a carrier, knows neither the servers nor the keys', () => {
    expect([...(environments.get('carrier-simulator')?.keys() ?? [])].filter(isSecret)).toEqual([]);
  });

  test('gets what the operator has set, and the simulator is reached by IPv6 as well', async () => {
    const database = await openTestDatabase(server.url);
    expect(await listCarriers(database)).toMatchObject([{ name: 'simulator', host: SIMULATOR_HOST }]);
    await database.close();
    expect(environments.get('worker')?.get('SENDER')).toBe('Spec');
    expect(environments.get('gateway')?.get('BATCH_MESSAGES_MAX')).toBe('77');
  });

  test.each([
    ['gateway', `heliograph gateway ${VERSION} starts`],
    ['worker', `heliograph worker ${VERSION} starts`],
    ['webhooks', `heliograph webhooks ${VERSION} starts`],
    ['simulator', 'listening'],
  ])('the first line in the log of the %s tells its version', async (name, msg) => {
    const first = await eventually(() => {
      const [line = '', ...rest] = readFileSync(join(dir, 'logs', `${name}.log`), 'utf8').split('\n');
      return rest.length > 0 && (JSON.parse(line) as object);
    });
    expect(first).toMatchObject({ version: VERSION, node: process.version, msg });
  });
});

test.each(NAMES)('every setting that the sources of %s read is among those that it is given', (name) => {
  const all = new Set(Object.values(PROCESS_SETTINGS).flat().map(String));
  for (const setting of Object.keys(loadConfig({}))) all.add(setting);
  const folder = join('apps', name);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const read = sources.flatMap((file) => {
    const code = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return [...code.matchAll(/\bconfig\.([A-Z][A-Z_]+)\b|\b([A-Z][A-Z_]+): \w+[^}]*\} = config\b/g)].flatMap((match) =>
      match.slice(1),
    );
  });
  const used = [...new Set(read)].filter((word) => word !== undefined && all.has(word));
  expect(used.length).toBeGreaterThan(1);
  expect(used.filter((setting) => !PROCESS_SETTINGS[name].map(String).includes(String(setting)))).toEqual([]);
});

function isSecret(variable: string): boolean {
  return /PASSWORD|SECRET|_URL|_KEY/.test(variable);
}

function childrenOfOurs(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
}

function appOf(pid: number): string {
  return /apps\/([a-z-]+)\/main\.js/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? '';
}

function environmentOf(pid: number): Map<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((entry) => entry !== '');
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}
