import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { ConfigError, loadConfig, VERSION } from '#config';
import { ProcessMetrics, serveMetrics } from '#telemetry';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { basic, scrapeText } from '../support/metrics.js';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { sharedService } from '../support/shared-service.js';

const PASSWORD = 'for the scraper alone';

describe("a worker's own listener", () => {
  const start = sharedService({ backEnd: CHEAPEST_BACK_END });
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  const get = async (port: number | undefined, path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as unknown };
  };

  test('workers on one machine need no setting each: every one takes the first port that is free', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    closing.push(() => squatter.close());
    await once(squatter, 'listening');
    const { port: firstPort } = squatter.address() as AddressInfo;
    const service = await start({ workers: 2, settings: { WORKER_METRICS_PORT: String(firstPort) } });
    const ports = service.runningWorkers.map(({ metricsPort = 0 }) => metricsPort);
    expect(new Set([firstPort, ...ports]).size).toBe(3);
    for (const port of ports) {
      expect(port).toBeGreaterThan(firstPort);
      expect(port).toBeLessThan(firstPort + 100);
      expect(await scrapeText(port)).toContain('heliograph_build_info');
    }
  });

  test('/healthz tells its version, and anything else is a short answer', async () => {
    const service = await start();
    const [worker] = service.runningWorkers;
    expect(await get(worker?.metricsPort, '/healthz')).toMatchObject({
      status: 200,
      body: { status: 'ok', version: VERSION, workerId: worker?.workerId },
    });
    expect((await get(worker?.metricsPort, '/queues')).status).toBe(404);
    const post = await fetch(`http://127.0.0.1:${worker?.metricsPort}/metrics`, { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test('/readyz follows what the others hear of it: not while its database is away, and again when it is back', async () => {
    const service = await start();
    const port = service.runningWorkers[0]?.metricsPort;
    const name = new URL(service.settings.DATABASE_URL ?? '').pathname.slice(1);
    const maintenance = new URL(service.settings.DATABASE_URL ?? '');
    maintenance.pathname = '/postgres';
    const client = new pg.Client({ connectionString: maintenance.href });
    await client.connect();
    expect((await get(port, '/readyz')).status).toBe(200);
    try {
      await client.query(`alter database ${name} with allow_connections false`);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await eventually(async () => (await get(port, '/readyz')).status === 503);
      expect((await get(port, '/healthz')).status).toBe(200);
    } finally {
      await client.query(`alter database ${name} with allow_connections true`);
      await client.end();
    }
    await eventually(async () => (await get(port, '/readyz')).status === 200);
  });

  test('where METRICS_PASSWORD is set, /metrics wants it, and it opens nothing but metrics at a gateway', async () => {
    const OPERATOR_PASSWORD = 'correct horse battery';
    const service = await start({ settings: { METRICS_PASSWORD: PASSWORD, OPERATOR_PASSWORD } });
    const port = service.runningWorkers[0]?.metricsPort;
    const status = async (of: number | undefined, path: string, password?: string) => {
      const headers = password === undefined ? {} : basic(password);
      return (await fetch(`http://127.0.0.1:${of}${path}`, { headers })).status;
    };
    expect(await status(port, '/metrics')).toBe(401);
    expect(await status(port, '/metrics', OPERATOR_PASSWORD)).toBe(401);
    expect(await status(port, '/metrics', PASSWORD)).toBe(200);
    const { operatorPort } = service;
    for (const path of ['/metrics', '/metrics/service', '/metrics/targets']) {
      expect([path, await status(operatorPort, path, PASSWORD)]).toEqual([path, 200]);
      expect([path, await status(operatorPort, path, OPERATOR_PASSWORD)]).toEqual([path, 200]);
    }
    // The pages are for everybody; what they show comes from /api.
    for (const path of ['/queues', '/api/carriers', '/api/me', '/metrics/../queues']) {
      expect([path, await status(operatorPort, path, PASSWORD)]).toEqual([path, 401]);
    }
    expect(await status(operatorPort, '/metricsx', PASSWORD)).toBe(404);
  });

  test('an address that is none of this machine is told with its settings, in one line without a stack', async () => {
    const log = new LogLines('worker');
    const server = await serveMetrics(new ProcessMetrics(), log.logger, {
      host: '192.0.2.9',
      firstPort: 3002,
      setting: 'WORKER_METRICS_PORT',
      password: PASSWORD,
      identity: {},
      isReady: () => true,
    });
    expect(server).toBeUndefined();
    expect(log.text).toContain(
      'no metrics on 192.0.2.9 from port 3002 on (WORKER_METRICS_HOST, WORKER_METRICS_PORT): listen EADDRNOTAVAIL',
    );
    expect(log.text).not.toContain('"stack"');
  });

  test('an address beyond this machine is refused without a password, in one line', () => {
    const settings = { WORKER_METRICS_HOST: '0.0.0.0' };
    expect(() => loadConfig(settings)).toThrow(ConfigError);
    expect(() => loadConfig(settings)).toThrow(
      'WORKER_METRICS_HOST leads beyond this machine, so it needs METRICS_PASSWORD',
    );
    expect(loadConfig({ ...settings, METRICS_PASSWORD: PASSWORD }).WORKER_METRICS_HOST).toBe('0.0.0.0');
  });
});
