import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { bareHost, type Config, isLoopback } from '#config';
import { type Database, type LiveProcess, liveProcesses, PROCESS_ROLES } from '#persistence';
import { hasPassword } from '#telemetry';
import type { GatewayMetrics } from './gateway-metrics.js';
import type { ServiceFigures } from './service-figures.js';

/**
 * `/metrics`: the metrics of this gateway. `/metrics/service`: the figures of the whole service, the same from every
 * gateway, to be scraped once. `/metrics/targets`: the addresses of all of that, for Prometheus' `http_sd_configs`.
 */
export function serveMetrics(
  server: FastifyInstance,
  metrics: GatewayMetrics,
  figures: ServiceFigures,
  database: Database,
): void {
  const { contentType } = metrics.registry;
  server.get('/metrics', async (_request, reply) => reply.type(contentType).send(await metrics.registry.metrics()));
  server.get('/metrics/service', async (_request, reply) => {
    try {
      return await reply.type(contentType).send(await (await figures.latestFigures()).metrics());
    } catch {
      return reply.status(503).type('text/plain; charset=utf-8').send('the database cannot be read\n');
    }
  });
  server.get('/metrics/targets', async () => targetsOf(await readProcesses(database)));
}

/** Whether a request for metrics has the password for metrics, which opens nothing else. */
export function mayReadMetrics(config: Config, route: string | undefined, authorization: string | undefined): boolean {
  const password = config.METRICS_PASSWORD;
  return password !== undefined && /^\/metrics(\/|$)/.test(route ?? '') && hasPassword(authorization, password);
}

/** An entry for `http_sd_configs`; labels that begin with `__` configure the scrape. */
interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

function targetsOf(processes: readonly LiveProcess[]): TargetGroup[] {
  const reachable = processes.flatMap(({ role, details: { metricsAddress, host } }) =>
    typeof metricsAddress === 'string' && isReachable(metricsAddress, host) ? [{ role, address: metricsAddress }] : [],
  );
  const own = reachable.map(({ role, address }) => ({ targets: [address], labels: { role } }));
  const gateway = reachable.find(({ role }) => role === 'gateway');
  if (gateway === undefined) return own;
  // The name is the same at every gateway, so that the series go on.
  const labels = { __metrics_path__: '/metrics/service', job: 'heliograph-service', instance: 'service' };
  return [...own, { targets: [gateway.address], labels }];
}

/** The loopback address of another machine would lead a scraper to processes of its own machine. */
function isReachable(address: string, host: unknown): boolean {
  return host === hostname() || !isLoopback(bareHost(address.replace(/:\d+$/, '')));
}

async function readProcesses(database: Database): Promise<LiveProcess[]> {
  const live: LiveProcess[] = [];
  for (const role of PROCESS_ROLES) live.push(...(await liveProcesses(database, role)));
  return live;
}
