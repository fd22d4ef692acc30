import type { Queryable } from '../database/database.js';

/** A segment that a carrier knows by an id of its own. */
export interface ReceiptedSegment {
  readonly messageId: string;
  readonly position: number;
  readonly carrierMessageId: string;
}

/** The segments that receipts are of, as far as the last eight digits of their message's id are below the threshold. */
export function segmentsOfReceipts(
  database: Queryable,
  carrierId: number,
  carrierMessageIds: readonly string[],
  threshold: string,
): Promise<ReceiptedSegment[]> {
  return database.query<ReceiptedSegment>(
    `select message_id as "messageId", position, carrier_message_id as "carrierMessageId" from segment
      where carrier_id = $1 and carrier_message_id = any($2::text[])
        and right(message_id::text, 8) < $3 collate "C"`,
    [carrierId, carrierMessageIds, threshold],
  );
}
