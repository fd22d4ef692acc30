import { Inject, Injectable } from '@nestjs/common';
import { type Config, queueSetting } from '#config';
import { DispatchQueues } from '#queue';
import { LineLimit, type Logger } from '#telemetry';
import { CONFIG, LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';

/** For how long after a failure the gateway sends nothing straight to the queue. */
const AWAY_MS = 1_000;

/** Knows whether the queue failed a moment ago, and tells the log that it cannot be reached. */
@Injectable()
export class QueueOutages {
  private failedMs = Number.NEGATIVE_INFINITY;
  private readonly lines = new LineLimit(1);

  constructor(
    queues: DispatchQueues,
    @Inject(LOG) private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    // An outage is seen before it fails a message: they wait in the backlogs then.
    queues.events.on('fault', (fault) => this.warn(fault));
  }

  /** Whether the queue failed a moment ago. */
  get isAway(): boolean {
    return performance.now() - this.failedMs < AWAY_MS;
  }

  /** @param orders so many were not enqueued */
  note(orders: number, error: unknown): void {
    this.metrics.enqueueFailures.inc(orders);
    if (this.isAway) return;
    this.failedMs = performance.now();
    this.warn(error);
  }

  /** An outage makes thousands of failures; the log gets one line a second. */
  private warn(error: unknown): void {
    if (!this.lines.admits()) return;
    const words = `the queue cannot be reached (${queueSetting(this.config)})`;
    this.log.warn({ err: error }, `${words}; orders wait in the backlogs until it can`);
  }
}
