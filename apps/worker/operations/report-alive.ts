import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, processDetails } from '#config';
import { Database, KeepHeartbeat, liveProcesses, warnOfRestore } from '#persistence';
import { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';
import { CarrierConnections } from '../carriers/carrier-connections.js';
import { FollowCarriers } from '../carriers/follow-carriers.js';
import { CONFIG, LOG, WORKER_ID } from '../injected.js';
import { MetricsListener } from './metrics-listener.js';

/**
 * Writes this worker's heartbeat, with a report on its carriers, until the worker ends. After each one it reads the
 * heartbeats of the other workers, and looks whether the database was restored.
 */
@Injectable()
export class ReportAlive implements OnApplicationShutdown {
  private readonly heartbeat: KeepHeartbeat;

  constructor(
    database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(LOG) log: Logger,
    @Inject(WORKER_ID) workerId: string,
    queues: DispatchQueues,
    connections: CarrierConnections,
    carriers: FollowCarriers,
    listener: MetricsListener,
  ) {
    const waitingJobs = async (carrier: string) => {
      const { interactive, bulk, delayed } = await queues.depthOf(carrier);
      return interactive + bulk + delayed;
    };
    this.heartbeat = new KeepHeartbeat(
      database,
      async () => ({
        processId: workerId,
        role: 'worker',
        details: {
          carriers: await connections.reports(waitingJobs),
          ...(listener.address !== undefined && { metricsAddress: listener.address }),
          secretKeys: database.secretKeys.ids,
          ...processDetails(config, 'worker'),
        },
      }),
      (error) => log.warn({ err: error }, 'could not report to the database'),
      async () => {
        connections.noteWorkers(await liveProcesses(database, 'worker'));
        carriers.follow();
        await warnOfRestore(database, config.HOLD_AFTER_FAILOVER === 'on', log.warn.bind(log));
      },
    );
  }

  /** Whether the others take this worker for alive. */
  get isHeard(): boolean {
    return this.heartbeat.isHeard;
  }

  /** Resolves after the first heartbeat. */
  start(): Promise<void> {
    return this.heartbeat.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.heartbeat.stop();
  }
}
