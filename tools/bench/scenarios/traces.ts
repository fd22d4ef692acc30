import { freePort } from '../../../scripts/process/free-port.js';
import type { Bench } from '../bench.js';
import { singles } from './loads.js';

/** Of what is accepted without traces. */
const FLOOR = 0.98;
const RATIO = '0.01';

/**
 * What traces cost: single sends accepted by a gateway without traces and by one that samples 1 % of its messages, in
 * turns and on the same database. The echo of the yardsticks stands in for the collector.
 */
export async function measureTraces(bench: Bench): Promise<void> {
  await bench.service.stopWorker();
  const load = singles(bench, bench.accounts.single);
  const traced = { ...load, port: await startTracing(bench) };
  const title = `single sends accepted, ${load.title}`;
  await bench.inTurns([
    { id: 'traces-off', title: `${title}, no traces`, measure: () => bench.measure(load) },
    {
      id: 'traces-on',
      title: `${title}, 1 % traced`,
      yardstick: 'traces-off',
      floor: FLOOR,
      measure: () => bench.measure(traced),
    },
  ]);
}

/** A gateway with traces, beside the one without. Resolves to its port. */
async function startTracing({ service, echoPort, signal }: Bench): Promise<number> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const { postgres, redis } = service;
  const gateway = service.startOther('gateway-tracing', 'apps/gateway/main.js', [], 'gateway ready', {
    DATABASE_URL: postgres.url,
    ...(redis && { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${echoPort}`,
    TRACE_SAMPLE_RATIO: RATIO,
  });
  await gateway.ready(signal);
  return port;
}
