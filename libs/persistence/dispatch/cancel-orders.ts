import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';

/** An order that was to be canceled, as it is now. */
export interface CanceledOrder {
  readonly id: string;
  readonly sequence: number;
  /** `canceled`, or what it was instead. */
  readonly state: OrderState;
  readonly recipient: string;
  /** What was given back. */
  readonly released: Micros;
}

/** Orders in one transaction: claims of the same orders wait for it. */
const SLICE_ORDERS_MAX = 500;

const CANCEL = `
  select id, sequence::float8, state, recipient, released
    from cancel_orders($1, array(select id from message_order where account_id = $1 and sequence between $2 and $3))`;

type Row = Omit<CanceledOrder, 'released'> & { released: string };

/**
 * Cancels an order of an account, if no carrier has it or maybe has it.
 *
 * @returns undefined when the account has no such order
 * @throws when another transaction holds the order or the balance for more than 50 ms; then nothing is changed
 */
export async function cancelOrder(
  database: Queryable,
  accountId: string,
  id: string,
): Promise<CanceledOrder | undefined> {
  const [row] = await database.query<Row>(
    'select id, sequence::float8, state, recipient, released from cancel_orders($1, array[$2::uuid])',
    [accountId, id],
  );
  return row && canceled(row);
}

/** The numbers of a batch; undefined when the account has no such batch. */
export async function findBatch(
  database: Queryable,
  accountId: string,
  batchId: string,
): Promise<{ readonly firstSequence: number; readonly orderCount: number } | undefined> {
  const [row] = await database.query<{ firstSequence: number; orderCount: number }>(
    `select first_sequence::float8 as "firstSequence", order_count as "orderCount" from message_batch
      where batch_id = $2 and account_id = $1`,
    [accountId, batchId],
  );
  return row;
}

/**
 * Cancels those orders of a range that can be canceled, from a number on, in one transaction.
 *
 * @returns the orders, and the number with which to go on; undefined: that was the last one
 * @throws as `cancelOrder`
 */
export async function cancelSlice(
  database: Queryable,
  accountId: string,
  from: number,
  last: number,
): Promise<{ readonly orders: readonly CanceledOrder[]; readonly next: number | undefined }> {
  const end = Math.min(last, from + SLICE_ORDERS_MAX - 1);
  const rows = await database.query<Row>(CANCEL, [accountId, from, end]);
  return { orders: rows.map(canceled), next: end < last ? end + 1 : undefined };
}

function canceled(row: Row): CanceledOrder {
  return { ...row, released: BigInt(row.released) };
}
