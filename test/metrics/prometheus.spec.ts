import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig } from '#config';
import { createLogger } from '#telemetry';
import { type RunningGateway, startGateway } from '../../apps/gateway/start-gateway.js';
import { freePort } from '../../scripts/process/free-port.js';
import { findPrometheus, type LocalPrometheus, startPrometheus } from '../../scripts/prometheus/local-prometheus.js';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { numberOf, TestService } from '../support/service.js';

/** What Prometheus makes of figures depends on no queue. The specs of single figures run on PostgreSQL. */
const BACK_END = QUEUE_BACK_ENDS.slice(-1);
const METRICS_PASSWORD = 'for the scraper alone';
const SINGLES = 12;
const BATCH = 30;
const SENT = SINGLES + BATCH;

interface Dashboard {
  readonly title: string;
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const DASHBOARDS = readdirSync('deploy/grafana')
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join('deploy/grafana', file), 'utf8')) as Dashboard);

/** Figures of what does not happen in this spec: webhooks, holds, replicas, TLS, test mode, failures, a whole week. */
const MAY_BE_EMPTY =
  /webhook_(attempt|event|endpoints|in_flight|disabled)|orders_held|replica|tls_certificate|failovers|faults|refused|cost_units|callbacks|last_error|enqueue_failures|ratio_rate|ALERTS|retention/;

/** Whatever happens to a process, these it has once for each carrier and once for itself. */
const LASTING = 'heliograph_build_info|heliograph_carrier_.+|process_.+';

// Like the specs of Redis: what this machine lacks does not exist here, and REQUIRE_PROMETHEUS=1 makes its lack a
// failure.
if (findPrometheus() !== undefined) {
  describe.each(BACK_END)('a Prometheus, two gateways and two workers, with the queue on %s', (backEnd) => {
    const dir = mkdtempSync(join(tmpdir(), 'heliograph-prometheus-'));
    let service: TestService;
    let second: RunningGateway;
    let prometheus: LocalPrometheus;

    beforeAll(async () => {
      service = await TestService.start({
        backEnd,
        workers: 2,
        settings: {
          OPERATOR_PASSWORD: 'correct horse battery',
          METRICS_PASSWORD,
          LEDGER_VERIFY_SECONDS: '1',
          WORKER_METRICS_PORT: String(await freePort()),
        },
      });
      second = await startGateway(loadConfig(service.settings), createLogger('gateway', 'silent'));
      prometheus = await startPrometheus(dir, config([service.operatorPort, second.operatorPort ?? 0]));
      // Half of the messages by each gateway.
      for (let index = 0; index < SINGLES; index += 1) await service.send(numberOf(1_000 + index), 'hello');
      await service.sendMany(BATCH, `http://127.0.0.1:${second.port}`);
      await service.untilStatuses({ delivered: SENT });
      await untilSum('up', 5);
    });
    afterAll(async () => {
      await prometheus?.stop();
      await second?.close();
      await service?.close();
      rmSync(dir, { recursive: true, force: true });
    });

    const query = async (expression: string): Promise<{ metric: Record<string, string>; value: number }[]> => {
      const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { data } = (await answer.json()) as {
        data: { result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    };
    const untilSum = (expression: string, wanted: number) =>
      eventually(
        async () => {
          const [sum] = await query(`sum(${expression})`);
          expect([expression, sum?.value]).toEqual([expression, expect.closeTo(wanted, 6)]);
        },
        { intervalMs: 250 },
      );
    const instancesOf = async (expression: string) =>
      (await query(`count by (role, instance, job) (${expression})`)).map(({ metric: { job, role } }) =>
        job === 'heliograph' ? role : job,
      );

    test('it finds every process, and the figures of the service once, by what the gateways tell', async () => {
      expect((await instancesOf('up')).sort()).toEqual([
        'gateway',
        'gateway',
        'heliograph-service',
        'worker',
        'worker',
      ]);
    });

    test.each([
      ['heliograph_messages_accepted_total', SENT],
      ['heliograph_submits_total{outcome="accepted"}', SENT],
      ['heliograph_order_moves_total{state="sent"}', SENT],
      ['heliograph_dispatch_delay_seconds_count{lane="interactive"}', SINGLES],
      ['heliograph_dispatch_delay_seconds_count{lane="bulk"}', BATCH],
      ['heliograph_receipts_total{state="delivered"}', SENT],
      ['heliograph_carrier_bound', 2],
      ['heliograph_build_info', 4],
    ])('the sum of %s over all processes is %d', async (name, wanted) => {
      await untilSum(name, wanted);
    });

    test.each([
      ['heliograph_ledger_units{bucket="captured"}', SENT * 0.01],
      ['heliograph_ledger_units{bucket="deposited"}', 1_000],
      ['heliograph_ledger_check_failures', 0],
      ['heliograph_orders_open', 0],
      ['heliograph_oldest_waiting_seconds', 0],
      ['heliograph_webhook_lag_seconds', 0],
      ['heliograph_carrier_workers_bound', 2],
      ['heliograph_processes{role="worker"}', 2],
      ['heliograph_processes{role="gateway"}', 2],
      ['heliograph_queue_up', 1],
      ['heliograph_queue_jobs', 0],
    ])('%s of the service as a whole stands once: its sum is %d', async (name, wanted) => {
      await untilSum(name, wanted);
      expect([...new Set(await instancesOf(name))]).toEqual(['heliograph-service']);
    });

    test('it knows every rule and every alert, and answers what each of them asks', async () => {
      const { data } = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as {
        data: { groups: { rules: { query: string }[] }[] };
      };
      const asked = data.groups.flatMap(({ rules }) => rules.map((rule) => rule.query));
      expect(asked.length).toBeGreaterThan(40);
      for (const expression of asked) expect(await query(expression)).toBeInstanceOf(Array);
    });

    test.each(DASHBOARDS)('it answers every expression of the dashboard $title', async ({ panels }) => {
      const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
      expect(expressions.length).toBeGreaterThan(5);
      // A rate needs two scrapes of a series.
      await eventually(async () => {
        const silent: string[] = [];
        for (const { title, expr } of expressions) {
          const asked = expr
            .replaceAll('$__rate_interval', '1m')
            .replaceAll('$__range', '5m')
            .replaceAll('$carrier', '.+');
          // What has not happened here has no series, but the expression has to be one that Prometheus takes.
          const answer = await query(asked);
          if (answer.length === 0 && !MAY_BE_EMPTY.test(expr)) silent.push(`${title}: ${expr}`);
        }
        expect(silent).toEqual([]);
      });
    });

    test('a gateway exports nothing of a worker, and a worker nothing of a gateway', async () => {
      // One worker may have sent them all.
      expect([...new Set(await instancesOf('heliograph_submits_total'))]).toEqual(['worker']);
      expect(await instancesOf('heliograph_messages_accepted_total')).toEqual(['gateway', 'gateway']);
    });

    test('a worker that is started again goes on with its series: none is new', async () => {
      const series = async () => {
        const match = encodeURIComponent(`{__name__=~"${LASTING}"}`);
        const { data } = (await (await fetch(`${prometheus.url}/api/v1/series?match[]=${match}`)).json()) as {
          data: Record<string, string>[];
        };
        return data.map((labels) => JSON.stringify(Object.entries(labels).sort())).sort();
      };
      const [worker] = service.runningWorkers;
      if (worker === undefined) throw new Error('there is no worker');
      const before = await series();
      expect(before.filter((labels) => labels.includes('heliograph_carrier_state')).length).toBeGreaterThan(0);
      const { metricsPort } = worker;
      await service.stopWorker(worker);
      await untilSum('up{role="worker"}', 1);
      const again = await service.startWorker();
      expect(again.metricsPort).toBe(metricsPort);
      await untilSum('up{role="worker"}', 2);
      await untilSum('heliograph_carrier_bound', 2);
      expect(await series()).toEqual(before);
    });

    test('no label names a process by its number, an account or a recipient', async () => {
      const labels = (await query('{__name__=~".+"}')).map(({ metric }) => metric);
      expect(labels.length).toBeGreaterThan(100);
      const words = new Set(labels.flatMap(({ instance: _address, ...others }) => Object.values(others)));
      expect([...words].filter((word) => word.includes(String(process.pid)))).toEqual([]);
      expect([...words].filter((word) => word === service.accountId || /467\d{8}/.test(word))).toEqual([]);
    });
  });
}

/** As deploy/prometheus/prometheus.yml, but quick. */
function config(operatorPorts: readonly number[]): string {
  const auth = { username: 'prometheus', password: METRICS_PASSWORD };
  const discovery = operatorPorts.map((port) => ({
    url: `http://127.0.0.1:${port}/metrics/targets`,
    refresh_interval: '1s',
    basic_auth: auth,
  }));
  // JSON is YAML.
  return JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml', 'alerts.yml'].map((file) => resolve('deploy/prometheus', file)),
    scrape_configs: [{ job_name: 'heliograph', basic_auth: auth, http_sd_configs: discovery }],
  });
}
