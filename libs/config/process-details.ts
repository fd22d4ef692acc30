import { hostname } from 'node:os';
import type { Environment } from './environment.js';
import { queuePlace } from './queue-place.js';
import { VERSION } from './version.js';

type Role = 'gateway' | 'worker' | 'webhooks';

/** Settings that change how messages are treated: processes with different values treat equal messages differently. */
const SHARED_SETTINGS: Readonly<Record<Role, readonly (keyof Environment)[]>> = {
  gateway: [
    'WEBHOOK_ALLOW_NETWORKS',
    'BATCH_MESSAGES_MAX',
    'BATCH_ENTRY_BYTES',
    'FREE_REQUESTS_PER_SECOND',
    'MESSAGE_VALIDITY_SECONDS',
    'SENDER',
    'SWEEP_AFTER_SECONDS',
    'ACCOUNT_IN_FLIGHT_MAX',
    'IN_DOUBT_WAIT_SECONDS',
    'HOLD_AFTER_FAILOVER',
    'TEXTS_AT_REST',
    'TRACE_SAMPLE_RATIO',
  ],
  worker: [
    'SENDER',
    'SUBMIT_TIMEOUT_MS',
    'CLAIM_LEASE_SECONDS',
    'SWEEP_AFTER_SECONDS',
    'RECEIPT_DEADLINE_SECONDS',
    'ACCOUNT_IN_FLIGHT_MAX',
    'IDEMPOTENCY_KEY_HOURS',
    'IN_DOUBT_WAIT_SECONDS',
    'HOLD_AFTER_FAILOVER',
    'TEXTS_AT_REST',
    'TRACE_SAMPLE_RATIO',
  ],
  webhooks: ['WEBHOOK_ALLOW_NETWORKS'],
};

/** What a process tells the others about itself with each heartbeat. It holds no secret. */
export interface ProcessDetails {
  readonly version: string;
  readonly node: string;
  /** The machine that it runs on. */
  readonly host: string;
  /** Where its queue is: see `queuePlace`. Webhooks have none. */
  readonly queue?: string;
  /** The settings that all processes of its kind should have in common. */
  readonly settings: Readonly<Record<string, string>>;
}

export function processDetails(config: Readonly<Environment>, role: Role): ProcessDetails {
  return {
    version: VERSION,
    node: process.version,
    host: hostname(),
    ...(role !== 'webhooks' && { queue: queuePlace(config.REDIS_URL) }),
    settings: Object.fromEntries(SHARED_SETTINGS[role].map((name) => [name, String(config[name] ?? 'unset')])),
  };
}
