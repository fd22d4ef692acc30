import type { CarrierReceipt } from '#carrier';
import type { Config } from '#config';
import { Coalescer, type Database, isPoison, type ReceiptToSettle, settleReceipts } from '#persistence';
import type { WriteTurns } from '../dispatch/write-turns.js';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { ReceiptWait } from './receipt-wait.js';

const ITEMS_MAX = 500;
/** A write of receipts costs the database 1.4 ms before the first one and 0.08 ms for each: at full load it pays to gather. */
const GATHER_MS = 15;
const PENDING_MAX = 20_000;

/**
 * USE CASE: makes receipts durable, applied or parked, many in one write. The carrier is answered only after it has
 * resolved; when it rejects, the carrier keeps the receipt and sends it again.
 */
export class SettleReceipts {
  private readonly lanes = new Map<number, Coalescer<ReceiptToSettle, undefined>>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly metrics: WorkerMetrics,
    private readonly wait: ReceiptWait,
    private readonly turns: WriteTurns,
  ) {}

  async settle(carrier: { id: number; name: string }, receipt: CarrierReceipt): Promise<void> {
    this.metrics.receipts.inc({ carrier: carrier.name, state: receipt.state });
    // ENROUTE and its like settle nothing; the deadline of the order stands.
    if (receipt.state === 'pending') return;
    this.wait.received(carrier.name, receipt.carrierMessageId);
    const stop = this.metrics.receiptSeconds.startTimer({ carrier: carrier.name });
    await this.lane(carrier.id).add({ ...receipt, state: receipt.state });
    stop();
  }

  private lane(carrierId: number): Coalescer<ReceiptToSettle, undefined> {
    const existing = this.lanes.get(carrierId);
    if (existing !== undefined) return existing;
    const lane = new Coalescer<ReceiptToSettle, undefined>((receipts) => this.write(carrierId, receipts), {
      itemsMax: ITEMS_MAX,
      gatherMs: GATHER_MS,
      pendingMax: PENDING_MAX,
      isPoison,
    });
    this.lanes.set(carrierId, lane);
    return lane;
  }

  private async write(carrierId: number, receipts: readonly ReceiptToSettle[]): Promise<undefined[]> {
    const { parked } = await this.turns.take(() =>
      settleReceipts(this.database, carrierId, receipts, this.config.IN_DOUBT_WAIT_SECONDS),
    );
    this.metrics.writes.observe({ kind: 'receipt' }, receipts.length);
    this.metrics.parkedReceipts.inc(parked);
    return receipts.map(() => undefined);
  }
}
