import { type Carrier, createCarrier } from '#carrier';
import type { Config } from '#config';
import {
  openCarrier,
  type SecretKeys,
  SecretUnreadable,
  type SettleReceipts,
  type StoredCarrier,
  type TakeInbound,
} from '#persistence';
import type { Logger } from '#telemetry';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { PooledCarrier } from './pooled-carrier.js';
import { workerRate } from './worker-rate.js';

export interface ConnectionDependencies {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
  readonly receipts: Pick<SettleReceipts, 'settle'>;
  readonly inbound: Pick<TakeInbound, 'take'>;
  readonly secretKeys: SecretKeys;
}

/**
 * The adapter behind a carrier's settings, not started yet.
 *
 * @throws RangeError naming the setting that cannot work
 * @throws SecretUnreadable naming the secret that this process has no key for
 */
export function createConnection(
  pooled: PooledCarrier,
  liveWorkers: number,
  dependencies: ConnectionDependencies,
): Carrier {
  const { config, log, metrics, receipts, inbound, secretKeys } = dependencies;
  const { name } = pooled.stored;
  return createCarrier(
    { ...openCarrier(secretKeys, pooled.stored), submitsPerSecond: workerRate(pooled, liveWorkers) },
    { sender: config.SENDER, responseTimeoutMs: config.SUBMIT_TIMEOUT_MS },
    {
      log,
      onReceipt: (receipt) => receipts.settle(pooled.stored, receipt),
      onInbound: (part) => inbound.take(pooled.stored, part),
      onSubmit: (latencyMs, outcome) => {
        pooled.noteOutcome(outcome);
        metrics.submits.inc({ carrier: name, outcome });
        metrics.submitSeconds.observe({ carrier: name }, latencyMs / 1_000);
      },
      onFault: (reason) => {
        pooled.noteError(reason);
        metrics.carrierFaults.inc({ carrier: name });
      },
      onDelivery: (kind) => metrics.deliveries.inc({ carrier: name, kind }),
      onStateChange: (state) => {
        log.info({ carrier: name, state }, 'carrier state');
        pooled.onSlotsFree();
      },
      onSlotsFree: () => pooled.onSlotsFree(),
    },
  );
}

/**
 * The settings that a connection depends on: if they change, the carrier is connected anew. Another key for the same
 * secret changes nothing.
 */
export function connectionOf(stored: StoredCarrier, secretKeys: SecretKeys): string {
  const {
    paused: _paused,
    simulator: _simulator,
    createdAt: _createdAt,
    submitsPerSecond: _submitsPerSecond,
    inDoubtPolicy: _inDoubtPolicy,
    bindCount,
    ...rest
  } = readable(stored, secretKeys);
  return JSON.stringify({ ...rest, isShared: bindCount !== undefined });
}

function readable(
  stored: StoredCarrier,
  secretKeys: SecretKeys,
): Pick<StoredCarrier, Exclude<keyof StoredCarrier, 'password'>> {
  try {
    return openCarrier(secretKeys, stored);
  } catch (error) {
    if (error instanceof SecretUnreadable) return stored;
    throw error;
  }
}
