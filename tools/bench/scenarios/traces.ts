import { freePorts } from '../../harness/system.js';
import type { Bench, Lane } from '../bench.js';
import type { BenchRun } from '../start-bench.js';
import { send } from './accept.js';
import { singles } from './loads.js';

/** Of what is accepted without traces. */
const FLOOR = 0.98;
const RATIO = '0.01';

/**
 * What traces cost: single sends accepted by a gateway without traces, by one that samples 1 % of its messages, and by
 * one that samples all, in turns and on the same database. The echo of the yardsticks stands in for the collector.
 */
export async function measureTraces(bench: Bench, run: BenchRun): Promise<void> {
  const { service, accounts } = bench;
  await service.stopWorker();
  const load = singles(bench, accounts.single, 1);
  const lanes: Lane[] = [
    {
      figure: { id: 'traces-off', title: `single sends accepted, ${load.title}, no traces`, unit: 'messages' },
      measure: () => send(bench, load),
    },
  ];
  for (const [id, title, ratio, floor] of [
    ['traces-some', '1 % traced', RATIO, { floor: FLOOR }],
    ['traces-all', 'all traced', '1', {}],
  ] as const) {
    const port = await startTracing(bench, `gateway-${id}`, ratio, run.signal);
    const figure = { id, title: `single sends accepted, ${load.title}, ${title}`, unit: 'messages' as const };
    lanes.push({
      figure: { ...figure, yardstick: 'traces-off', ...floor },
      measure: () => send(bench, { ...load, port }),
    });
  }
  await bench.inTurns(lanes);
}

/** A gateway with traces, beside the one without. Resolves to its port. */
async function startTracing(
  { service, echoPort }: Bench,
  name: string,
  ratio: string,
  signal: AbortSignal,
): Promise<number> {
  const [port = 0, operatorPort = 0] = await freePorts('PORT', 'OPERATOR_PORT');
  const { postgres, redis } = service;
  const gateway = service.startOther(name, 'apps/gateway/main.js', [], 'gateway ready', {
    DATABASE_URL: postgres.url,
    ...(redis && { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    TRACE_OTLP_URL: `http://127.0.0.1:${echoPort}`,
    TRACE_SAMPLE_RATIO: ratio,
  });
  await gateway.ready(signal);
  return port;
}
