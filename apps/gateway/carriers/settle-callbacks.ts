import { setTimeout as delay } from 'node:timers/promises';
import type { CarrierReceipt } from '#carrier';
import type { Config } from '#config';
import {
  type Database,
  failureKind,
  ReceiptLanes,
  type ReceiptToSettle,
  type StoredCarrier,
  settleReceipts,
} from '#persistence';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';

/** Not every provider calls again after a 503, so the gateway waits for the database for a short time. */
const STORE_WAIT_MAX_MS = 4_000;
const RETRY_AFTER_MS = 200;

/** USE CASE: makes the receipts of callbacks durable, applied or unmatched, many in one write. */
export class SettleCallbacks {
  private readonly lanes = new ReceiptLanes((carrierId, receipts) => this.write(carrierId, receipts));

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly metrics: GatewayMetrics,
  ) {}

  /**
   * Resolves once the receipt is durable.
   *
   * @throws Overloaded when too many wait
   */
  async settle({ carrierId, name }: Pick<StoredCarrier, 'carrierId' | 'name'>, receipt: CarrierReceipt): Promise<void> {
    this.metrics.receipts.inc({ carrier: name, state: receipt.state });
    // Queued, sent and similar statuses are not final; the deadline of the order stays.
    if (receipt.state === 'pending') return;
    const stop = this.metrics.receiptSeconds.startTimer({ carrier: name });
    await this.lanes.add(carrierId, { ...receipt, state: receipt.state });
    stop();
  }

  /** To write a receipt twice changes nothing, so every failed write is tried again. */
  private async write(carrierId: number, receipts: readonly ReceiptToSettle[]): Promise<void> {
    const deadlineMs = performance.now() + STORE_WAIT_MAX_MS;
    for (;;) {
      try {
        const { unmatched } = await settleReceipts(
          this.database,
          carrierId,
          receipts,
          this.config.IN_DOUBT_WAIT_SECONDS,
        );
        this.metrics.unmatchedReceipts.inc(unmatched);
        return;
      } catch (error) {
        if (failureKind(error) === 'poison' || performance.now() > deadlineMs) throw error;
        await delay(RETRY_AFTER_MS);
      }
    }
  }
}
