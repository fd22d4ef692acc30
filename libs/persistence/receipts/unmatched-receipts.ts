import { expectCarrierOfLists } from '../carriers/carriers.js';
import type { Queryable } from '../database/database.js';

/** A receipt that matches no message. */
export interface UnmatchedReceipt {
  readonly receiptId: string;
  readonly carrier: string | undefined;
  readonly carrierMessageId: string;
  /** The `user_message_reference` that the carrier repeated. */
  readonly reference: number | undefined;
  readonly destination: string;
  readonly state: 'delivered' | 'undelivered';
  readonly code: string;
  readonly receivedAt: Date;
}

/**
 * Unmatched receipts, newest first. A receipt of the last seconds may only have overtaken its response.
 *
 * @param which `before`: only those that the list has behind this receipt
 * @throws OperatorError when there is no such carrier
 */
export async function listUnmatchedReceipts(
  database: Queryable,
  limit: number,
  { carrier, before }: { readonly carrier?: string | undefined; readonly before?: string | undefined } = {},
): Promise<UnmatchedReceipt[]> {
  if (carrier !== undefined) await expectCarrierOfLists(database, carrier);
  const rows = await database.query<
    Omit<UnmatchedReceipt, 'carrier' | 'reference'> & { carrier: string | null; reference: number | null }
  >(
    `select r.receipt_id::text as "receiptId", c.name as carrier, r.carrier_message_id as "carrierMessageId",
            r.user_message_reference as reference, r.destination, r.state, r.carrier_code as code,
            r.received_at as "receivedAt"
       from parked_receipt r left join carrier c using (carrier_id)
      where ($2::text is null or c.name = $2) and ($3::bigint is null or r.receipt_id < $3)
      order by r.receipt_id desc limit $1`,
    [limit, carrier ?? null, before ?? null],
  );
  return rows.map((row) => ({ ...row, carrier: row.carrier ?? undefined, reference: row.reference ?? undefined }));
}

/** The id of an unmatched receipt, in the form in which the carrier's settings stored it. */
export interface UnmatchedId {
  readonly receiptId: string;
  readonly carrierMessageId: string;
  readonly destination: string;
}

/** The message that a receipt would name with another id. */
export type Reading = Pick<UnmatchedId, 'carrierMessageId' | 'destination'>;

/**
 * The ids of a carrier's unmatched receipts, newest first.
 *
 * @param before the last one that was listed
 */
export function listUnmatchedIds(
  database: Queryable,
  carrierId: number,
  limit: number,
  before?: string,
): Promise<UnmatchedId[]> {
  return database.query(
    `select receipt_id::text as "receiptId", carrier_message_id as "carrierMessageId", destination
       from parked_receipt
      where carrier_id = $1 and carrier_message_id <> '' and ($3::bigint is null or receipt_id < $3::bigint)
      order by receipt_id desc limit $2`,
    [carrierId, limit, before ?? null],
  );
}

/** The indices of the readings that name a segment of the carrier to the receipt's number, as carriers write it. */
export async function findNamedSegments(
  database: Queryable,
  carrierId: number,
  readings: readonly Reading[],
): Promise<Set<number>> {
  const rows = await database.query<{ index: number }>(
    `select r.n::integer - 1 as index
       from unnest($2::text[], $3::text[]) with ordinality as r(id, destination, n)
      where exists (select from segment s join message_order o on o.id = s.message_id
                     where s.carrier_message_id = r.id and s.carrier_id = $1
                       and is_same_number(o.destination, r.destination))`,
    [carrierId, readings.map((reading) => reading.carrierMessageId), readings.map((reading) => reading.destination)],
  );
  return new Set(rows.map(({ index }) => index));
}

/** Gives unmatched receipts other ids; the reconciler matches them within a minute. */
export async function changeUnmatchedIds(
  database: Queryable,
  carrierId: number,
  renamed: readonly Pick<UnmatchedId, 'receiptId' | 'carrierMessageId'>[],
): Promise<void> {
  await database.query(
    `with moved as (
       delete from parked_receipt p using unnest($2::bigint[], $3::text[]) as r(receipt_id, id)
        where p.receipt_id = r.receipt_id and p.carrier_id = $1 returning p.*, r.id
     )
     insert into parked_receipt (carrier_id, carrier_message_id, user_message_reference, destination, state,
                                 carrier_code, received_at, unmarked)
     select carrier_id, id, user_message_reference, destination, state, carrier_code, received_at, unmarked from moved`,
    [carrierId, renamed.map(({ receiptId }) => receiptId), renamed.map((one) => one.carrierMessageId)],
  );
}
