import { type Carrier, type CarrierReceipt, createCarrier } from '#carrier';
import type { Config } from '#config';
import type { StoredCarrier } from '#persistence';
import type { Logger } from '#telemetry';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { PooledCarrier } from './pooled-carrier.js';

export type ReceiptHandler = (carrier: { id: number; name: string }, receipt: CarrierReceipt) => Promise<void>;

export interface ConnectionSurroundings {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
  readonly onReceipt: ReceiptHandler;
  /** Somebody may go on now. */
  readonly wake: () => void;
}

/**
 * The adapter behind a carrier's settings, not started yet.
 *
 * @throws RangeError naming the setting that cannot work
 */
export function createConnection(pooled: PooledCarrier, liveWorkers: number, around: ConnectionSurroundings): Carrier {
  const { config, log, metrics, onReceipt, wake } = around;
  const { carrierId: id, name } = pooled.stored;
  return createCarrier(
    { ...pooled.stored, submitsPerSecond: pooled.rateFor(liveWorkers) },
    { sender: config.SENDER, responseTimeoutMs: config.SUBMIT_TIMEOUT_MS },
    {
      log,
      onReceipt: (receipt) => onReceipt({ id, name }, receipt),
      onSubmit: (latencyMs, outcome) => {
        pooled.noteOutcome(outcome);
        metrics.submits.inc({ carrier: name, outcome });
        metrics.submitSeconds.observe({ carrier: name }, latencyMs / 1_000);
      },
      onStateChange: (state) => {
        log.info({ carrier: name, state }, 'carrier state');
        wake();
      },
    },
  );
}

/** What a connection depends on: when it changes the carrier is connected anew. */
export function connectionOf(stored: StoredCarrier): string {
  const {
    paused: _paused,
    simulator: _simulator,
    createdAt: _createdAt,
    submitsPerSecond: _submitsPerSecond,
    inDoubtPolicy: _inDoubtPolicy,
    bindCount,
    ...rest
  } = stored;
  return JSON.stringify({ ...rest, isShared: bindCount !== undefined });
}
