import type { Queryable } from '../database/database.js';
import { isPoison } from '../database/database-errors.js';
import { plainArray } from '../database/plain-array.js';

/**
 * A write of receipts, or of answers to submits, costs the database some 1.5 ms before the first one and 0.08 ms for
 * each: on a busy machine it pays to gather.
 */
export const GATHERED_WRITES = { itemsMax: 500, gatherMs: 10, gatherMaxMs: 60, isPoison };
/** Receipts gather for each carrier by themselves; if too many wait, a carrier keeps the next one. */
export const RECEIPT_WRITES = { ...GATHERED_WRITES, keysApart: true, pendingMax: 20_000 };

export interface ReceiptToSettle {
  readonly carrierMessageId: string | undefined;
  readonly userMessageReference: number | undefined;
  readonly destination: string;
  readonly state: 'delivered' | 'undelivered';
  readonly code: string;
  /** A person may have written it, so it counts only for a message to this number. */
  readonly isUnmarked?: boolean;
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

/** The user_message_reference of a segment; `segment_reference` in the database computes the same. */
export function segmentReference(messageId: string, position: number): number {
  return (Number.parseInt(messageId.slice(-4), 16) + position) & 0xffff;
}
