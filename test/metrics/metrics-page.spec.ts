import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
import { openQueue, type TestQueue } from '../support/queue.js';
import { TestService } from '../support/service.js';

/** What a metric says of itself, as `docs/operations.md` has it in a row. */
interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: string;
  readonly help: string;
}

let service: TestService;
let queue: TestQueue;
let registries: Record<string, Registry>;
beforeAll(async () => {
  service = await TestService.start({ backEnd: 'postgres', settings: { OPERATOR_PASSWORD } });
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
    'Of a gateway': gateway.registry,
    'Of a worker': worker.registry,
    'Of webhooks': webhooks.registry,
    'Of the service': figures,
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
  const [, section = ''] = page.split(`#### ${heading}\n`);
  const [rows = ''] = section.split(/\n#+ /);
  return rows.split('\n').flatMap((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    const [, name = '', type = '', labels = '', help = ''] = cells;
    return name.startsWith('`heliograph_')
      ? [{ name: name.slice(1, -1), type, labels: labels.replaceAll('`', ''), help }]
      : [];
  });
}

describe('docs/operations.md lists every metric, with its type, its labels and its meaning', () => {
  const page = readFileSync('docs/operations.md', 'utf8');

  test.each(['Of a gateway', 'Of a worker', 'Of webhooks', 'Of the service'])('%s', (heading) => {
    const wanted = described(registries[heading] as Registry);
    expect(wanted.length).toBeGreaterThan(5);
    expect(documented(page, heading)).toEqual(wanted);
  });

  test('the alerts and the page name no metric that does not exist', () => {
    const names = new Set(Object.values(registries).flatMap((registry) => described(registry).map(({ name }) => name)));
    const text = page + readFileSync('deploy/prometheus/alerts.yml', 'utf8');
    const used = [...text.matchAll(/\bheliograph_[a-z_]+[a-z]\b/g)].map(([name]) =>
      name.replace(/_(bucket|count|sum)$/, ''),
    );
    expect([...new Set(used)].filter((name) => !names.has(name) && name !== 'heliograph_build_info')).toEqual([]);
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
      expect(promtool(['check', 'rules', 'deploy/prometheus/alerts.yml']).status).toBe(0);
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
