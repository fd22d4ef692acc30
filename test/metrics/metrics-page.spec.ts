import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Registry } from 'prom-client';
import type { Replica } from '#persistence';
import { GatewayMetrics } from '../../apps/gateway/operator/gateway-metrics.js';
import { ServiceFigures } from '../../apps/gateway/operator/service-figures.js';
import { WebhookMetrics } from '../../apps/webhooks/webhook-metrics.js';
import { WorkerMetrics } from '../../apps/worker/operations/worker-metrics.js';
import { findPrometheus } from '../../scripts/prometheus/local-prometheus.js';
import { OPERATOR_PASSWORD } from '../support/gateway.js';
import { scrapeText } from '../support/metrics.js';
import { CHEAPEST_BACK_END, openQueue, type TestQueue } from '../support/queue.js';
import { TestService } from '../support/service.js';

/** What a metric says of itself, as `docs/operations.md` has it in a row. */
interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: string;
  readonly help: string;
}

interface Dashboard {
  readonly templating: { readonly list: readonly unknown[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly description: string;
    readonly datasource: { readonly uid: string };
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets: readonly { readonly datasource: { readonly uid: string } }[];
  }[];
}

const DASHBOARDS = readdirSync('deploy/grafana')
  .filter((file) => file.endsWith('.json'))
  .map((file) => `deploy/grafana/${file}`);

/** The pages of docs/runbooks. */
const RUNBOOKS = [
  'install',
  'upgrade',
  'backup-and-restore',
  'carrier-outage',
  'stuck-queue',
  'redis-lost',
  'database-failover',
  'ledger-alarm',
  'key-leak',
  'disk-full',
  'certificate-renewal',
];

let service: TestService;
let queue: TestQueue;
let registries: Record<string, Registry>;
beforeAll(async () => {
  service = await TestService.start({ backEnd: CHEAPEST_BACK_END, settings: { OPERATOR_PASSWORD } });
  queue = await openQueue(service.settings);
  const gateway = new GatewayMetrics();
  gateway.showReplica(service.database, {} as Replica);
  gateway.showCertificate(() => new Date());
  const worker = new WorkerMetrics();
  worker.showCarriers(() => []);
  const figures = await new ServiceFigures(service.database, queue.queues).latestFigures();
  const webhooks = new WebhookMetrics();
  webhooks.observe(() => ({ delivering: 0, failing: 0, inFlight: 0 }));
  registries = {
    'Metrics of a gateway': gateway.registry,
    'Metrics of a worker': worker.registry,
    'Metrics of webhooks': webhooks.registry,
    'Metrics of the service': figures,
  };
});
afterAll(async () => {
  await queue.close();
  await service.close();
});

const described = (registry: Registry): Described[] =>
  registry
    .getMetricsAsArray()
    .map((metric) => {
      const { name, help, labelNames = [] } = metric as { name: string; help: string; labelNames?: readonly string[] };
      const type = metric.constructor.name.toLowerCase();
      return { name, type, labels: labelNames.filter((label) => label !== 'le').join(', '), help };
    })
    .filter(({ name }) => name.startsWith('heliograph_') && name !== 'heliograph_build_info');

/** The rows under a heading of the page. */
function documented(page: string, heading: string): Described[] {
  const [, section = ''] = page.split(`### ${heading}\n`);
  const [rows = ''] = section.split(/\n#+ /);
  return rows.split('\n').flatMap((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    const [, name = '', type = '', labels = '', help = ''] = cells;
    return name.startsWith('`heliograph_')
      ? [{ name: name.slice(1, -1), type, labels: labels.replaceAll('`', ''), help }]
      : [];
  });
}

/** The page has them in the order of a message's way. */
function byName(metrics: readonly Described[]): Described[] {
  return [...metrics].sort((one, other) => one.name.localeCompare(other.name));
}

describe('docs/operations.md lists every metric, with its type, its labels and its meaning', () => {
  const page = readFileSync('docs/operations.md', 'utf8');

  test.each(['Metrics of a gateway', 'Metrics of a worker', 'Metrics of webhooks', 'Metrics of the service'])(
    '%s',
    (heading) => {
      const wanted = described(registries[heading] as Registry);
      expect(wanted.length).toBeGreaterThan(5);
      expect(byName(documented(page, heading))).toEqual(byName(wanted));
    },
  );

  test('the page, the rules, the alerts and the dashboards name no metric that does not exist', () => {
    const names = new Set(Object.values(registries).flatMap((registry) => described(registry).map(({ name }) => name)));
    const files = ['deploy/prometheus/rules.yml', 'deploy/prometheus/alerts.yml', ...DASHBOARDS];
    const text = page + files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const used = [...text.matchAll(/\bheliograph_[a-z_]+[a-z]\b/g)].map(([name]) =>
      name.replace(/_(bucket|count|sum)$/, ''),
    );
    expect([...new Set(used)].filter((name) => !names.has(name) && name !== 'heliograph_build_info')).toEqual([]);
  });
});

describe('whoever is called by an alert finds out what to do', () => {
  const alerts = readFileSync('deploy/prometheus/alerts.yml', 'utf8')
    .split(/^ {6}- alert: /m)
    .slice(1);

  test.each(alerts.map((alert) => [alert.split('\n')[0] ?? '', alert]))('%s', (_name, alert) => {
    expect(alert).toMatch(/labels: \{ severity: (critical|warning) \}/);
    expect(alert).toMatch(/summary: "\S.+"/);
    expect(alert).toMatch(/description: "\S.+"/);
    const [, page] = /runbook_url: docs\/runbooks\/([a-z-]+)\.md$/m.exec(alert) ?? [];
    expect(RUNBOOKS).toContain(page);
  });
});

describe('each dashboard can be imported into any Grafana', () => {
  test.each(DASHBOARDS)('%s', (file) => {
    const { templating, panels } = JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { title, description, datasource, targets } of panels) {
      expect([title, description.length > 0]).toEqual([title, true]);
      for (const of of [datasource, ...targets.map((target) => target.datasource)]) {
        expect([title, of.uid]).toEqual([title, expect.stringMatching(/^\$\{datasource\}$/)]);
      }
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});

// Like the specs of Redis: what this machine lacks does not exist here, and REQUIRE_PROMETHEUS=1 makes its lack a
// failure.
if (findPrometheus() !== undefined) {
  describe('promtool finds nothing wrong', () => {
    const promtool = (args: readonly string[], input = '') => {
      const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
      return { status, words: `${stdout}${stderr}` };
    };

    test.each([
      ['of a gateway', () => scrapeText(service.operatorPort, '/metrics', OPERATOR_PASSWORD)],
      ['of the service', () => scrapeText(service.operatorPort, '/metrics/service', OPERATOR_PASSWORD)],
      ['of a worker', () => scrapeText(service.runningWorkers[0]?.metricsPort)],
    ])('with the metrics %s: names, units and help are as the conventions say', async (_whose, metrics) => {
      await service.send('46701234567', 'hello');
      await service.untilStatuses({ delivered: (await service.messages()).size });
      expect(promtool(['check', 'metrics'], await metrics())).toEqual({ status: 0, words: '' });
    });

    test('with the alerts, each of which fires when it should and keeps still when it should', () => {
      expect(promtool(['check', 'rules', 'deploy/prometheus/rules.yml', 'deploy/prometheus/alerts.yml']).status).toBe(
        0,
      );
      const { status, words } = promtool(['test', 'rules', 'test/metrics/alerts.test.yml']);
      expect([status, words]).toEqual([0, expect.stringContaining('SUCCESS')]);
      const rules = readFileSync('deploy/prometheus/alerts.yml', 'utf8');
      const tests = readFileSync('test/metrics/alerts.test.yml', 'utf8');
      const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
      const timesTested = (name = '') => tests.split(`alertname="${name}"`).length - 1;
      expect(alerts.filter((name) => timesTested(name) !== 2)).toEqual([]);
    });

    test('with the configuration that scrapes all of it', () => {
      expect(promtool(['check', 'config', 'deploy/prometheus/prometheus.yml']).status).toBe(0);
    });
  });
}
