import type { Queryable } from './database.js';

/** A receipt for a message that is not known. */
export interface OrphanReceipt {
  readonly carrier: string | undefined;
  readonly carrierMessageId: string;
  /** The `user_message_reference` that the carrier repeated. */
  readonly reference: number | undefined;
  readonly destination: string;
  readonly state: 'delivered' | 'undelivered';
  readonly code: string;
  readonly receivedAt: Date;
}

/** Receipts that match nothing, newest first. One of the last seconds may only be faster than its message's answer. */
export async function listOrphanReceipts(database: Queryable, limit: number): Promise<OrphanReceipt[]> {
  const rows = await database.query<
    Omit<OrphanReceipt, 'carrier' | 'reference'> & { carrier: string | null; reference: number | null }
  >(
    `select c.name as carrier, r.carrier_message_id as "carrierMessageId", r.user_message_reference as reference,
            r.destination, r.state, r.carrier_code as code, r.received_at as "receivedAt"
       from parked_receipt r left join carrier c using (carrier_id)
      order by r.received_at desc, r.receipt_id desc limit $1`,
    [limit],
  );
  return rows.map((row) => ({ ...row, carrier: row.carrier ?? undefined, reference: row.reference ?? undefined }));
}
