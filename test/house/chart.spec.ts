import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import pg from 'pg';
import { FILE_SETTINGS, loadConfig, PROCESS_SETTINGS, VERSION } from '#config';
import { findHelm } from '../../scripts/helm/local-helm.js';
import { CHART, type ChartObject, type Container, type Rendered, renderChart, typeFaults } from '../support/chart.js';
import { createTestDatabase } from '../support/database.js';

const PROCESSES = ['gateway', 'worker', 'webhooks'] as const;
/** What the chart sets by other values. */
const OF_THE_CHART = /(^|_)(PORT|HOST)$|^TLS_|^SHUTDOWN_/;
/** Node's own variable: authorities that it trusts beside the public ones. */
const AUTHORITIES = 'NODE_EXTRA_CA_CERTS';
const read = (file: string): unknown =>
  load(readFileSync(join(CHART, file), 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) });
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
  properties: { settings: { properties: Record<string, unknown> } };
};
const settingNames = Object.keys(schema.properties.settings.properties);

describe('the values of the chart', () => {
  test('the defaults are complete: every value that the schema knows has one', () => {
    const validate = new Ajv({ strict: false, useDefaults: false }).compile(schema);
    const values = read('values.yaml') as Record<string, unknown>;
    validate(values);
    expect(validate.errors ?? []).toEqual([]);
    expect(missing(schema, values)).toEqual(['.global', ...settingNames.map((name) => `.settings.${name}`)]);
  });

  test.each(PROCESSES)('templates/_settings.tpl and the schema have every setting of a %s, and no more', (name) => {
    const template = readFileSync(join(CHART, 'templates/_settings.tpl'), 'utf8');
    const [, listed = ''] = new RegExp(`settingsOf\\.${name}" -}}\n(.*)\n`).exec(template) ?? [];
    const wanted = PROCESS_SETTINGS[name].filter(
      (setting) => !isSecret(`${setting}_FILE`) && !OF_THE_CHART.test(setting),
    );
    expect(listed.split(' ').sort()).toEqual([...wanted].sort());
    expect(wanted.filter((setting) => !settingNames.includes(setting))).toEqual([]);
  });

  test('the version of the chart and of the image is that of the service', () => {
    expect(read('Chart.yaml')).toMatchObject({ version: VERSION, appVersion: VERSION });
  });
});

/** The properties of a schema that a value does not have. */
function missing(of: object, value: Record<string, unknown>, path = ''): string[] {
  const { properties = {} } = of as { properties?: Record<string, object> };
  return Object.entries(properties).flatMap(([name, rule]) => {
    const inner = value[name];
    if (inner === undefined) return [`${path}.${name}`];
    return typeof inner === 'object' ? missing(rule, inner as Record<string, unknown>, `${path}.${name}`) : [];
  });
}

// Like the specs of Redis: what this machine lacks does not exist here, and REQUIRE_HELM=1 makes its lack a failure.
const tools = findHelm(process.env);
if (tools !== undefined) {
  const examples = readdirSync(join(CHART, 'examples'));
  /** Every setting, every secret, and the gateway's own TLS. */
  const everything = renderChart(
    tools,
    ...settingNames.flatMap((name) => ['--set-string', `settings.${name}=7`]),
    ...['databaseDirectUrl', 'databaseReplicaUrl', 'otlpHeaders', 'authorities'].flatMap((key) => [
      '--set',
      `secrets.keys.${key}=${key}`,
    ]),
    '--set=gateway.tlsSecret=tls',
    '--set=pods.annotations.note=x',
  );
  const sets: [string, Rendered][] = [
    ['the defaults', renderChart(tools)],
    ...examples.map((name): [string, Rendered] => [name, renderChart(tools, '-f', join(CHART, 'examples', name))]),
    ['everything set', everything],
  ];
  const [[, defaults], ...others] = sets as [[string, Rendered], ...[string, Rendered][]];
  const production = others.find(([name]) => name === 'production.yaml')?.[1] ?? defaults;
  const small = others.find(([name]) => name === 'small.yaml')?.[1] ?? defaults;

  describe.each(sets)('the objects of the chart with %s', (_name, { objects, text, refusal }) => {
    test('are rendered', () => {
      expect(refusal).toBe('');
      expect(objects.length).toBeGreaterThan(8);
    });

    test('no container has a right that it does not need, or writes anywhere but in /tmp', () => {
      for (const { spec } of pods(objects)) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        });
        expect(spec.volumes.filter((volume) => 'emptyDir' in volume).map(({ name }) => name)).toEqual(['tmp']);
        for (const { securityContext } of spec.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        }
      }
    });

    test('secrets come from a Secret that is there before, and a container sees its own keys only', () => {
      expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
      expect(text).not.toMatch(/postgres:\/\/|redis:\/\//);
      for (const { spec } of pods(objects)) {
        const mounted = spec.volumes.find(({ name }) => name === 'secrets')?.secret?.items ?? [];
        const isFile = (name: string) => isSecret(name) || name === AUTHORITIES;
        const files = spec.containers[0]?.env.filter(({ name }) => isFile(name)).map(({ value }) => value);
        expect(files).toEqual(mounted.map(({ key }) => `/run/secrets/heliograph/${key}`));
      }
    });

    test('each container runs a program that the build makes, and asks for processor and memory', () => {
      for (const { command, resources } of containers(objects)) {
        expect(command[0]).toBe('node');
        expect(existsSync(command[1]?.replace(/^dist\//, '').replace(/\.js$/, '.ts') ?? '')).toBe(true);
        expect(Object.keys(resources.requests).sort()).toEqual(['cpu', 'memory']);
        expect(Object.keys(resources.limits)).toEqual(['memory']);
      }
    });

    test('a pod is killed only after its process has had its time to stop', () => {
      for (const { spec } of pods(objects)) {
        const graceMs = spec.containers[0]?.env.find(({ name }) => name === 'SHUTDOWN_GRACE_MS')?.value;
        if (spec.containers[0]?.name === 'migrate') continue;
        expect((spec.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThanOrEqual(Number(graceMs) + 5_000);
      }
    });

    test('every selector finds the pods of one process, and every port that is named exists', () => {
      const labels = pods(objects).map((pod) => pod.metadata.labels);
      for (const { kind, spec } of objects) {
        const wanted =
          kind === 'Service' ? spec.selector : kind === 'PodDisruptionBudget' ? spec.selector?.matchLabels : null;
        if (!wanted) continue;
        const found = labels.filter((each) => Object.entries(wanted).every(([name, value]) => each[name] === value));
        expect(found).toHaveLength(1);
      }
      const ports = containers(objects)
        .flatMap((container) => container.ports ?? [])
        .map(({ name }) => name);
      const named = objects
        .filter(({ kind }) => kind === 'Service')
        .flatMap(({ spec }) => spec.ports as { targetPort: string }[]);
      expect(named.filter(({ targetPort }) => !ports.includes(targetPort))).toEqual([]);
    });

    test('the migration runs first, so it needs nothing of the release; its pod is like the others', () => {
      const job = objects.find(({ kind }) => kind === 'Job');
      expect(job?.metadata.annotations).toEqual({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      });
      const annotations = pods(objects).map(({ metadata }) => metadata.annotations);
      expect(annotations).toEqual(annotations.map(() => annotations[0]));
      const volumes = job?.spec.template?.spec.volumes ?? [];
      expect(volumes.flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'))).toEqual([
        'emptyDir',
        'secret',
      ]);
    });
  });

  test('Kubernetes and KEDA know every field of every object, and a field that they do not know is found', () => {
    const [first] = defaults.objects.filter(({ kind }) => kind === 'Deployment');
    const wrong = { ...first, spec: { ...first?.spec, replica: 2 } };
    const faults = typeFaults(tools, [...sets.flatMap(([, { objects }]) => objects), wrong]);
    expect(faults).toEqual([expect.stringMatching(/'"replica"' does not exist in type 'IDeploymentSpec'/)]);
  });

  test.each(PROCESSES)('%s gets its own settings, all of them and no more', (name) => {
    const given = variables(everything, name).map(settingOf);
    expect(given.sort()).toEqual([...PROCESS_SETTINGS[name], AUTHORITIES].sort());
  });

  test.each(PROCESSES)('%s of the production example accepts its settings', (name) => {
    const env = Object.fromEntries(containerOf(production, name).env.map((each) => [each.name, each.value ?? '']));
    const plain = Object.fromEntries(Object.entries(env).filter(([variable]) => !isSecret(variable)));
    const secrets = { DATABASE_URL: 'postgres://h/d', METRICS_PASSWORD: 'x'.repeat(16) };
    expect(() => loadConfig({ ...plain, ...secrets })).not.toThrow();
    if (name === 'worker')
      expect(env).toMatchObject({ RECEIPT_DEADLINE_SECONDS: '1209600', HOLD_AFTER_FAILOVER: 'on' });
  });

  test('without Redis no process has its address, and no policy leads to it', () => {
    expect(small.text).not.toMatch(/REDIS|6379/);
  });

  test('gateways and workers reach the port of a collector of traces, if there is one, and nobody else does', () => {
    const endpoint = 'settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="http://collector.monitoring:4318/v1/traces"';
    const leading = ({ objects }: Rendered) =>
      objects
        .filter(({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec.egress ?? []).includes(':4318}'))
        .map(({ metadata }) => metadata.name.split('-').at(-1));
    expect(leading(defaults)).toEqual([]);
    expect(leading(renderChart(tools, `--set-json=${endpoint}`))).toEqual(['gateway', 'worker']);
  });

  describe('scaling', () => {
    const scaled = production.objects.find(({ kind }) => kind === 'ScaledObject');
    const triggers = (scaled?.spec.triggers ?? []) as { metadata: { query: string } }[];
    let client: pg.Client;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const store = await createTestDatabase();
      drop = () => store.drop();
      client = new pg.Client({ connectionString: store.url });
      await client.connect();
    });
    afterAll(async () => {
      await client.end();
      await drop();
    });

    test("the database answers KEDA's question with one number", async () => {
      const { rows, fields } = await client.query(triggers[0]?.metadata.query ?? '');
      expect([rows.length, fields.length, Object.values(rows[0] ?? {})]).toEqual([1, 1, [0]]);
    });

    test('an upgrade keeps the number of workers that KEDA has chosen', () => {
      expect(deployment(production, 'worker').spec.replicas).toBeUndefined();
      expect(deployment(defaults, 'worker').spec.replicas).toBe(2);
      expect(scaled?.spec).toMatchObject({ scaleTargetRef: { name: deployment(production, 'worker').metadata.name } });
    });
  });

  test('only what runs more than once has a disruption budget', () => {
    const budgets = ({ objects }: Rendered) =>
      objects
        .filter(({ kind }) => kind === 'PodDisruptionBudget')
        .map(({ metadata }) => metadata.name.split('-').at(-1));
    expect([budgets(small), budgets(defaults).sort()]).toEqual([[], ['gateway', 'worker']]);
  });

  test('the operators listener is reached from inside of the cluster only', () => {
    for (const [, { objects }] of sets) {
      const service = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-operators'));
      expect(service?.spec.type).toBe('ClusterIP');
    }
  });

  describe('wrong values are refused in words', () => {
    test.each([
      ['worker.autoscalling.enabled=true', /'autoscalling' not allowed/],
      ['settings.WORKER_CONCURENCY=3', /'WORKER_CONCURENCY' not allowed/],
      ['settings.DATABASE_URL=postgres://h/d', /'DATABASE_URL' not allowed/],
      ['gateway.replicas=two', /got string, want integer/],
      ['queue=rabbit', /value must be one of 'redis', 'postgres'/],
      ['image.digest=abc', /does not match pattern/],
      ['worker.autoscaling.minReplicas=0', /minimum: got 0, want 1/],
      [
        'worker.autoscaling.enabled=true,worker.autoscaling.minReplicas=9',
        /maxReplicas must not be less than minReplicas/,
      ],
      ['shutdown.noticeMs=0,shutdown.graceMs=50', /minimum: got 50, want 100/],
      ['shutdown.noticeMs=30000', /shutdown.noticeMs must be less than shutdown.graceMs/],
      ['gateway.ingress.enabled=true,gateway.ingress.hosts={a}', /gateway.ingress needs settings.TRUSTED_PROXIES/],
      ['operators.ingress.enabled=true,operators.ingress.hosts={a}', /operators.ingress needs settings.TRUSTED/],
      ['operators.ingress.enabled=true', /operators.ingress needs hosts/],
    ])('%s', (wrong, words) => {
      expect(renderChart(tools, '--set', wrong).refusal).toMatch(words);
    });
  });
}

function pods(objects: readonly ChartObject[]) {
  return objects.flatMap(({ spec }) => spec.template ?? []);
}

function containers(objects: readonly ChartObject[]): Container[] {
  return pods(objects).flatMap(({ spec }) => spec.containers);
}

function containerOf({ objects }: Rendered, name: string): Container {
  const found = containers(objects).find((container) => container.name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

function deployment({ objects }: Rendered, name: string): ChartObject {
  const found = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(`-${name}`));
  if (found === undefined) throw new Error(`no Deployment ${name}`);
  return found;
}

function variables(rendered: Rendered, container: string): string[] {
  return containerOf(rendered, container).env.map(({ name }) => name);
}

/** The setting that a variable gives, itself or by a file. */
function settingOf(variable: string): string {
  return FILE_SETTINGS.find((name) => variable === `${name}_FILE`) ?? variable;
}

function isSecret(variable: string): boolean {
  return settingOf(variable) !== variable;
}
