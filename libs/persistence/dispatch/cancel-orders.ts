import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';
import { isUuid } from '../database/is-uuid.js';

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

/** Orders that are canceled in one transaction: claims of the same orders wait for it. */
export const CANCEL_ORDERS_MAX = 500;

const CANCEL_RANGE = `
  select id, sequence::float8, state, recipient, released
    from cancel_orders($1, array(select id from message_order where account_id = $1 and sequence between $2 and $3))`;

type Row = Omit<CanceledOrder, 'released'> & { released: string };

/**
 * Cancels those orders of an account that no carrier has or maybe has, in one transaction.
 *
 * @param ids what is no UUID names no order
 * @returns those that the account has
 * @throws when another transaction holds an order or the balance for more than 50 ms; then nothing is changed
 */
export async function cancelOrders(
  database: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<CanceledOrder[]> {
  const rows = await database.query<Row>(
    'select id, sequence::float8, state, recipient, released from cancel_orders($1, $2::uuid[])',
    [accountId, ids.filter(isUuid)],
  );
  return rows.map(canceled);
}

/**
 * Cancels those orders of a range of numbers that can be canceled, in one transaction.
 *
 * @returns all orders of the range
 * @throws as `cancelOrders`
 */
export async function cancelRange(
  database: Queryable,
  accountId: string,
  first: number,
  last: number,
): Promise<CanceledOrder[]> {
  const rows = await database.query<Row>(CANCEL_RANGE, [accountId, first, last]);
  return rows.map(canceled);
}

function canceled(row: Row): CanceledOrder {
  return { ...row, released: BigInt(row.released) };
}
