import type { Database } from '#persistence';
import type { Logger } from '#telemetry';
import type { ReceiverAddresses } from '#webhooks';
import type { EventReader } from './event-reader.js';
import type { WebhookMetrics } from './webhook-metrics.js';

/** What the delivery of webhooks needs. */
export interface DeliveryDependencies {
  /** The name of this process. */
  readonly owner: string;
  readonly database: Database;
  /** For all webhooks of this process. */
  readonly reader: EventReader;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  readonly addresses: ReceiverAddresses;
  readonly timeoutMs: number;
  /** Milliseconds since 1970; to a delivery, by the clock of the database. */
  readonly now: () => number;
}
