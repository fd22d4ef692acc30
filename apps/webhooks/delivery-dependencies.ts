import type { Database } from '#persistence';
import type { Logger } from '#telemetry';
import type { ReceiverAddresses } from '#webhooks';
import type { WebhookMetrics } from './webhook-metrics.js';

/** What the delivery of webhooks needs. */
export interface DeliveryDependencies {
  /** The name of this process. */
  readonly owner: string;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  readonly addresses: ReceiverAddresses;
  readonly timeoutMs: number;
  /** Milliseconds since 1970; to a delivery, by the clock of the database. */
  readonly now: () => number;
}
