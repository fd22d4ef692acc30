import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '#config';
import { Database, FreshReads, Replica } from '#persistence';
import type { Logger } from '#telemetry';
import { CONFIG, LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';

/** A replica that falls behind and catches up again and again would fill the log. */
const SAY_EVERY_MS = 10_000;

/** Reads from the replica of DATABASE_REPLICA_URL while it is in step, and logs and counts which server answers. */
@Injectable()
export class ReplicaReads extends FreshReads implements OnApplicationShutdown {
  constructor(@Inject(CONFIG) config: Config, database: Database, metrics: GatewayMetrics, @Inject(LOG) log: Logger) {
    const replica = openReplica(config, database);
    if (replica !== undefined) metrics.showReplica(database, replica);
    let lastMs = Number.NEGATIVE_INFINITY;
    super(
      database,
      replica,
      (problem) => {
        if (performance.now() - lastMs < SAY_EVERY_MS) return;
        lastMs = performance.now();
        if (problem === undefined) log.info('lists and summaries are read from the replica');
        else log.warn(`the replica (DATABASE_REPLICA_URL) is not read from: ${problem}`);
      },
      (server, reads) => metrics.reads.inc({ server }, reads),
    );
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

/** Not connected yet. */
function openReplica(config: Config, { texts }: Database): Replica | undefined {
  const url = config.DATABASE_REPLICA_URL;
  if (url === undefined) return undefined;
  return new Replica({ url, poolSize: config.DATABASE_POOL_SIZE, applicationName: 'heliograph-gateway-reads', texts });
}
