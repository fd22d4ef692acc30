import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

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
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

const schema = CORE_SCHEMA.withTags(mergeTag);
const compose = load(readFileSync('docker-compose.yml', 'utf8'), { schema }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const ofOurImage = services.filter(([, { image }]) => image === 'heliograph');
const dockerfile = readFileSync('Dockerfile', 'utf8');

function service(name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

/** The source of a compiled program that a command names. */
function sourceOf(program: string): string {
  return program.replace(/^dist\//, '').replace(/\.js$/, '.ts');
}

describe('docker compose brings up the whole service', () => {
  test('it has everything that a message passes', () => {
    const names = ['postgres', 'redis', 'migrate', 'gateway', 'worker', 'simulator'];
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
    const fromImage = image === 'heliograph' && healthcheck === undefined && name === 'gateway';
    expect(fromImage || healthcheck?.disable === true || (healthcheck?.test ?? []).length > 0).toBe(true);
  });

  test('the queue does not lose jobs: nothing is evicted, and jobs outlive a restart', () => {
    expect(service('redis').command?.join(' ')).toContain('--maxmemory-policy noeviction');
    expect(service('redis').command?.join(' ')).toContain('--appendonly yes');
  });

  test.each(['gateway', 'worker'])('%s starts only on a migrated database', (name) => {
    expect(service(name).depends_on?.migrate?.condition).toBe('service_completed_successfully');
  });

  test('the operator listener is published on the loopback alone', () => {
    expect(service('gateway').ports?.find((port) => port.endsWith(':3001'))).toMatch(/^127\.0\.0\.1:/);
  });

  test('every service that is waited for and every volume exists', () => {
    const waited = services.flatMap(([, { depends_on }]) => Object.keys(depends_on ?? {}));
    expect(waited.filter((name) => compose.services[name] === undefined)).toEqual([]);
    const mounted = services.flatMap(([, { volumes }]) => (volumes ?? []).map((volume) => volume.split(':')[0] ?? ''));
    expect(mounted.sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

describe('the image holds one service', () => {
  test('it does not run as root', () => {
    expect(dockerfile.slice(dockerfile.lastIndexOf('FROM'))).toMatch(/^USER node$/m);
  });

  test('it has a health check, and every file that it copies is in the repository', () => {
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["node", "scripts\/healthcheck\.mjs"\]$/m);
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map((match) => match[1] ?? '');
    expect(copied).toContain('dist');
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
  });
});
