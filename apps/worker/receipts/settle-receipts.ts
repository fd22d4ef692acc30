import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer } from '#batching';
import type { CarrierReceipt } from '#carrier';
import type { Config } from '#config';
import { Database, RECEIPT_WRITES, type ReceiptToSettle, segmentsOfReceipts, settleReceipts } from '#persistence';
import { type Logger, MessageTraces, ReceiptTraces } from '#telemetry';
import { DispatchJournal } from '../dispatch/dispatch-journal.js';
import { CONFIG, LOG } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { ReceiptWait } from './receipt-wait.js';

/**
 * USE CASE: makes receipts durable, applied or unmatched, many in one write. The carrier gets its answer after this has
 * resolved; if it rejects, the carrier keeps the receipt and sends it again.
 */
@Injectable()
export class SettleReceipts implements OnApplicationShutdown {
  private readonly writes = new Coalescer(
    (receipts: ReceiptToSettle[], carrierId: number) => this.write(carrierId, receipts),
    RECEIPT_WRITES,
  );
  private readonly traces: ReceiptTraces | undefined;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: WorkerMetrics,
    private readonly wait: ReceiptWait,
    private readonly journal: DispatchJournal,
    traces: MessageTraces,
    @Inject(LOG) log: Logger,
  ) {
    if (traces.isOn) this.traces = new ReceiptTraces(traces, (...of) => segmentsOfReceipts(database, ...of), log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.traces?.addSpans();
  }

  async settle(carrier: { id: number; name: string }, receipt: CarrierReceipt): Promise<void> {
    this.metrics.receipts.inc({ carrier: carrier.name, state: receipt.state });
    // ENROUTE and similar states are not final; the deadline of the order stays.
    if (receipt.state === 'pending') return;
    const receivedMs = performance.now();
    const startMs = Date.now();
    const stop = this.metrics.receiptSeconds.startTimer({ carrier: carrier.name });
    await this.writes.add({ ...receipt, state: receipt.state }, carrier.id);
    stop();
    // By now the answer is known, also if the adapter read both at once: then it hands the receipt over first.
    this.wait.received(carrier.name, receipt.carrierMessageId, receivedMs);
    this.traces?.note(carrier, receipt, startMs);
  }

  private async write(carrierId: number, receipts: readonly ReceiptToSettle[]): Promise<undefined[]> {
    // A receipt that is written before the response with its message id is stored as unmatched and applied later:
    // correct, but twice the work.
    await this.journal.answersWritten(receipts.map(({ carrierMessageId }) => carrierMessageId));
    const { unmatched } = await this.journal.inTurn(() =>
      settleReceipts(this.database, carrierId, receipts, this.config.IN_DOUBT_WAIT_SECONDS),
    );
    this.metrics.writes.observe({ kind: 'receipt' }, receipts.length);
    this.metrics.unmatchedReceipts.inc(unmatched);
    return receipts.map(() => undefined);
  }
}
