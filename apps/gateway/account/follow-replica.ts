import type { Config } from '#config';
import { type Database, FreshReads, Replica } from '#persistence';
import type { Logger } from '#telemetry';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';

/** The replica of DATABASE_REPLICA_URL, not connected yet. */
export function openReplica(config: Config): Replica | undefined {
  const url = config.DATABASE_REPLICA_URL;
  if (url === undefined) return undefined;
  return new Replica({ url, poolSize: config.DATABASE_POOL_SIZE, applicationName: 'heliograph-gateway-reads' });
}

/** A replica that falls behind and catches up again and again would fill the log. */
const SAY_EVERY_MS = 10_000;

/** Sends reads to the replica while it is in step; logs and counts it. */
export function followReplica(
  database: Database,
  replica: Replica | undefined,
  metrics: GatewayMetrics,
  log: Logger,
): FreshReads {
  let lastMs = Number.NEGATIVE_INFINITY;
  return new FreshReads(
    database,
    replica,
    (problem) => {
      if (performance.now() - lastMs < SAY_EVERY_MS) return;
      lastMs = performance.now();
      if (problem === undefined) log.info('lists and summaries are read from the replica');
      else log.warn(`the replica (DATABASE_REPLICA_URL) is not read from: ${problem}`);
    },
    (server) => metrics.reads.inc({ server }),
  );
}
