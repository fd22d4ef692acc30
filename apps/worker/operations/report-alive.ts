import { type Database, liveProcesses, recordHeartbeat, removeHeartbeat } from '#persistence';
import type { Logger } from '#telemetry';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { WorkerMetrics } from './worker-metrics.js';

const REPORT_EVERY_MS = 3_000;

/** Tells the database what this worker is and does, and learns from it how many there are. */
export class ReportAlive {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly workerId: string,
    private readonly database: Database,
    private readonly carriers: CarrierPool,
    private readonly metrics: WorkerMetrics,
    private readonly log: Logger,
  ) {}

  async start(): Promise<void> {
    await this.report();
    this.timer = setInterval(() => void this.report(), REPORT_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await removeHeartbeat(this.database, this.workerId).catch(() => undefined);
  }

  private async report(): Promise<void> {
    try {
      await recordHeartbeat(this.database, {
        processId: this.workerId,
        role: 'worker',
        details: { carriers: this.carriers.states() },
        metrics: await this.metrics.registry.getMetricsAsJSON(),
      });
      this.carriers.shareRate((await liveProcesses(this.database, 'worker')).length);
    } catch (error) {
      this.log.warn({ err: error }, 'could not report to the database');
    }
  }
}
