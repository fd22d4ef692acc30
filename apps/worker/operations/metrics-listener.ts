import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '#config';
import { type Logger, type MetricsServer, serveMetrics } from '#telemetry';
import { CONFIG, LOG, WORKER_ID } from '../injected.js';
import { WorkerMetrics } from './worker-metrics.js';

/** A worker's own listener: `/metrics`, `/healthz` and `/readyz`. */
@Injectable()
export class MetricsListener implements OnApplicationShutdown {
  private server: MetricsServer | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(WORKER_ID) private readonly workerId: string,
    @Inject(LOG) private readonly log: Logger,
    private readonly metrics: WorkerMetrics,
  ) {}

  /** Undefined when no port was free. */
  get port(): number | undefined {
    return this.server?.port;
  }

  /** How others reach it, as `host:port`. */
  get address(): string | undefined {
    return this.server?.address;
  }

  /** @param isReady whether the worker dispatches messages and has written its heartbeat */
  async listen(isReady: () => boolean): Promise<void> {
    this.server = await serveMetrics(this.metrics, this.log, {
      host: this.config.WORKER_METRICS_HOST,
      firstPort: this.config.WORKER_METRICS_PORT,
      setting: 'WORKER_METRICS_PORT',
      password: this.config.METRICS_PASSWORD,
      identity: { workerId: this.workerId },
      isReady,
    });
  }

  onApplicationShutdown(): void {
    this.server?.close();
  }
}
