import { Coalescer } from '#batching';
import type { StoredCarrier } from '../carriers/carrier-settings.js';
import type { Queryable } from '../database/database.js';
import { isPoison } from '../database/database-errors.js';
import { plainArray } from '../database/plain-array.js';
import { believeNotices, isTaken } from './believe-notices.js';

/** Of receipts, and of answers to submits: few large writes cost the database less than many small ones (ADR 10). */
export const GATHERED_WRITES = { itemsMax: 500, gatherMs: 10, gatherMaxMs: 60, isPoison };
/** Receipts gather for each carrier by themselves; if too many wait, a carrier keeps the next one. */
const RECEIPT_WRITES = { ...GATHERED_WRITES, keysApart: true, pendingMax: 20_000 };

type ReceiptCarrier = Pick<StoredCarrier, 'carrierId' | 'name'>;

/** A receipt as a carrier's adapter read it. */
export interface ReceivedReceipt {
  readonly carrierMessageId: string | undefined;
  readonly userMessageReference: number | undefined;
  readonly destination: string;
  /** `pending` is an intermediate notice (ENROUTE, queued), which is not final. */
  readonly state: 'delivered' | 'undelivered' | 'pending';
  readonly code: string;
  /** A person may have written it, so it counts only for a message to this number. */
  readonly isUnmarked?: boolean;
}

export type ReceiptToSettle = ReceivedReceipt & { readonly state: 'delivered' | 'undelivered' };

/** What the process does that receives the receipts. */
export interface ReceiptProcess {
  readonly metrics: {
    readonly receipts: { inc(labels: { carrier: string; state: string }): void };
    readonly receiptSeconds: { observe(labels: { carrier: string }, seconds: number): void };
    readonly unmatchedReceipts: { inc(count: number): void };
  };
  /** Runs one write of receipts: when the process may write, and as often as it tries. */
  write<Result>(receipts: readonly ReceivedReceipt[], write: () => Promise<Result>): Promise<Result>;
  /** Called with each receipt that is durable. */
  stored(carrier: ReceiptCarrier, receipt: ReceiptToSettle, tookMs: number): void;
}

/** USE CASE: makes receipts durable, applied or unmatched, many in one write. */
export class SettleReceipts {
  private readonly writes = new Coalescer(async (receipts: ReceiptToSettle[], carrierId: number) => {
    const { unmatched } = await this.process.write(receipts, () =>
      settleReceipts(this.database, carrierId, receipts, this.inDoubtWaitSeconds),
    );
    this.process.metrics.unmatchedReceipts.inc(unmatched);
    return receipts.map(() => undefined);
  }, RECEIPT_WRITES);
  private readonly notices = new Coalescer(async (notices: ReceivedReceipt[], carrierId: number) => {
    await this.process.write(notices, () => believeNotices(this.database, carrierId, notices, this.inDoubtWaitSeconds));
    return notices.map(() => undefined);
  }, RECEIPT_WRITES);

  constructor(
    private readonly database: Queryable,
    private readonly inDoubtWaitSeconds: number,
    private readonly process: ReceiptProcess,
  ) {}

  /**
   * The carrier gets its answer when this has resolved. If it rejects, the carrier sends the receipt again.
   *
   * @throws Overloaded when too many wait
   */
  async settle(carrier: ReceiptCarrier, receipt: ReceivedReceipt): Promise<void> {
    const { metrics } = this.process;
    const startMs = performance.now();
    const { state } = receipt;
    metrics.receipts.inc({ carrier: carrier.name, state });
    // The deadline of the order stays.
    if (state === 'pending') return isTaken(receipt) ? this.notices.add(receipt, carrier.carrierId) : undefined;
    const final = { ...receipt, state };
    await this.writes.add(final, carrier.carrierId);
    const tookMs = performance.now() - startMs;
    metrics.receiptSeconds.observe({ carrier: carrier.name }, tookMs / 1_000);
    this.process.stored(carrier, final, tookMs);
  }
}

/** Applies receipts of one carrier, or stores them as unmatched; durable when it resolves. */
export async function settleReceipts(
  database: Queryable,
  carrierId: number,
  receipts: readonly ReceiptToSettle[],
  inDoubtWaitSeconds: number,
): Promise<{ matched: number; unmatched: number }> {
  const rows = await database.query<{ matched: number; unmatched: number }>(
    `select matched, parked as unmatched
       from settle_receipts($1, $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::boolean[],
                            false, make_interval(secs => $8))`,
    [
      carrierId,
      receipts.map((receipt) => receipt.carrierMessageId ?? null),
      receipts.map((receipt) => receipt.userMessageReference ?? null),
      receipts.map((receipt) => receipt.destination),
      plainArray(receipts.map((receipt) => receipt.state)),
      receipts.map((receipt) => receipt.code),
      plainArray(receipts.map((receipt) => receipt.isUnmarked ?? false)),
      inDoubtWaitSeconds,
    ],
  );
  return rows[0] ?? { matched: 0, unmatched: 0 };
}
