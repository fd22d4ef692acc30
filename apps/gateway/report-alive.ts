import { hostname } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, processDetails, reachableAddress } from '#config';
import { Database, KeepHeartbeat, warnOfRestore } from '#persistence';
import type { Logger } from '#telemetry';
import { CONFIG, LOG } from './injected.js';
import { OperatorListener } from './operator/operator-listener.js';

/** Writes this gateway's heartbeat, from the moment that it can be reached until it ends. */
@Injectable()
export class ReportAlive implements OnApplicationShutdown {
  private heartbeat: KeepHeartbeat | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly operator: OperatorListener,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @param port where the gateway listens: it is part of the gateway's name in the reports */
  async start(port: number): Promise<void> {
    const { config, database, operator, log } = this;
    this.heartbeat = new KeepHeartbeat(
      database,
      async () => ({
        processId: `gateway-${hostname()}-${process.pid}-${port}`,
        role: 'gateway',
        details: {
          ...processDetails(config, 'gateway'),
          port,
          secretKeys: database.secretKeys.ids,
          ...(operator.port !== undefined && {
            metricsAddress: reachableAddress(config.OPERATOR_HOST, operator.port),
          }),
        },
      }),
      (error) => log.warn({ err: error }, 'could not report to the database'),
      () => warnOfRestore(database, config.HOLD_AFTER_FAILOVER === 'on', log.warn.bind(log)),
    );
    await this.heartbeat.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.heartbeat?.stop();
  }
}
