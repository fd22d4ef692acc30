import type { Queryable } from '../database/database.js';

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

/** The id of a receipt that matched nothing, in the form in which the carrier's settings had it stored. */
export interface ParkedReceipt {
  readonly receiptId: string;
  readonly carrierMessageId: string;
  readonly destination: string;
}

/** What a receipt would name if its id were another. */
export type Reading = Pick<ParkedReceipt, 'carrierMessageId' | 'destination'>;

/**
 * Parked receipts of a carrier, newest first.
 *
 * @param before the last one that was listed
 */
export function listParkedReceipts(
  database: Queryable,
  carrierId: number,
  limit: number,
  before?: string,
): Promise<ParkedReceipt[]> {
  return database.query(
    `select receipt_id::text as "receiptId", carrier_message_id as "carrierMessageId", destination
       from parked_receipt
      where carrier_id = $1 and carrier_message_id <> '' and ($3::bigint is null or receipt_id < $3::bigint)
      order by receipt_id desc limit $2`,
    [carrierId, limit, before ?? null],
  );
}

/** Which of these readings name a segment of the carrier that went to the receipt's number: their indices. */
export async function findNamedSegments(
  database: Queryable,
  carrierId: number,
  readings: readonly Reading[],
): Promise<Set<number>> {
  const rows = await database.query<{ index: number }>(
    `select r.n::integer - 1 as index
       from unnest($2::text[], $3::text[]) with ordinality as r(id, destination, n)
      where exists (select from segment s join message_order o on o.id = s.message_id
                     where s.carrier_message_id = r.id and s.carrier_id = $1 and o.destination = r.destination)`,
    [carrierId, readings.map((reading) => reading.carrierMessageId), readings.map((reading) => reading.destination)],
  );
  return new Set(rows.map(({ index }) => index));
}

/** Gives parked receipts other ids; the reconciler matches them within a minute. One that is parked under its new id already is dropped. */
export async function renameParkedReceipts(
  database: Queryable,
  carrierId: number,
  renamed: readonly Pick<ParkedReceipt, 'receiptId' | 'carrierMessageId'>[],
): Promise<void> {
  await database.query(
    `with moved as (
       delete from parked_receipt p using unnest($2::bigint[], $3::text[]) as r(receipt_id, id)
        where p.receipt_id = r.receipt_id and p.carrier_id = $1 returning p.*, r.id
     )
     insert into parked_receipt (carrier_id, carrier_message_id, user_message_reference, destination, state, carrier_code, received_at)
     select carrier_id, id, user_message_reference, destination, state, carrier_code, received_at from moved
     on conflict do nothing`,
    [carrierId, renamed.map(({ receiptId }) => receiptId), renamed.map((one) => one.carrierMessageId)],
  );
}
