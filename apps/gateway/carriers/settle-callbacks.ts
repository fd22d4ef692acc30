import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer } from '#batching';
import type { CarrierReceipt } from '#carrier';
import type { Config } from '#config';
import {
  Database,
  failureKind,
  RECEIPT_WRITES,
  type ReceiptToSettle,
  type StoredCarrier,
  segmentsOfReceipts,
  settleReceipts,
} from '#persistence';
import { type Logger, MessageTraces, ReceiptTraces } from '#telemetry';
import { tryAgain } from '#timing';
import { CONFIG, LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';

/** Not every provider calls again after a 503, so the gateway waits for the database for a short time. */
const STORING = { giveUpAfterMs: 4_000, waitMs: 200 };

/** USE CASE: makes the receipts of callbacks durable, applied or unmatched, many in one write. */
@Injectable()
export class SettleCallbacks implements OnApplicationShutdown {
  private readonly writes = new Coalescer(
    (receipts: ReceiptToSettle[], carrierId: number) => this.write(carrierId, receipts),
    RECEIPT_WRITES,
  );
  private readonly traces: ReceiptTraces | undefined;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: GatewayMetrics,
    traces: MessageTraces,
    @Inject(LOG) log: Logger,
  ) {
    if (traces.isOn) this.traces = new ReceiptTraces(traces, (...of) => segmentsOfReceipts(database, ...of), log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.traces?.addSpans();
  }

  /**
   * Resolves once the receipt is durable.
   *
   * @throws Overloaded when too many wait
   */
  async settle({ carrierId, name }: Pick<StoredCarrier, 'carrierId' | 'name'>, receipt: CarrierReceipt): Promise<void> {
    this.metrics.receipts.inc({ carrier: name, state: receipt.state });
    // Queued, sent and similar statuses are not final; the deadline of the order stays.
    if (receipt.state === 'pending') return;
    const startMs = Date.now();
    const stop = this.metrics.receiptSeconds.startTimer({ carrier: name });
    await this.writes.add({ ...receipt, state: receipt.state }, carrierId);
    stop();
    this.traces?.note({ id: carrierId, name }, receipt, startMs);
  }

  /** To write a receipt twice changes nothing, so every failed write is tried again. */
  private async write(carrierId: number, receipts: readonly ReceiptToSettle[]): Promise<undefined[]> {
    const write = () => settleReceipts(this.database, carrierId, receipts, this.config.IN_DOUBT_WAIT_SECONDS);
    const { unmatched } = await tryAgain(write, (error) => failureKind(error) !== 'poison', STORING);
    this.metrics.unmatchedReceipts.inc(unmatched);
    return receipts.map(() => undefined);
  }
}
