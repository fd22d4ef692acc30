import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';

interface AccountFigures {
  readonly currency: string;
  readonly deposited: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
  readonly orderCount: bigint;
}

export interface DepositItem {
  readonly amount: Micros;
  readonly currency: string;
  readonly createdAt: Date;
  readonly kind: 'deposit' | 'adjustment';
  /** In the account's currency, as it was booked. */
  readonly accountAmount: Micros;
  readonly reference: string | undefined;
  readonly reason: string | undefined;
}

export interface OrderItem {
  readonly id: string;
  readonly recipient: string;
  readonly message: string;
  readonly amount: Micros;
  readonly state: OrderState;
  readonly segments: number;
  readonly isExtended: boolean;
  /** The last code of the order, from a carrier or from the service itself. */
  readonly code: string | undefined;
  readonly createdAt: Date;
  readonly sentAt: Date | undefined;
  readonly finalAt: Date | undefined;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** All figures of an account: one row, whatever the number of its messages. */
export async function accountFigures(database: Queryable, accountId: string): Promise<AccountFigures> {
  const [row] = await database.query<{
    currency: string;
    deposited: string;
    reserved: string;
    captured: string;
    last_sequence: string;
  }>(
    `select a.currency, b.deposited, b.reserved, b.captured, b.last_sequence
       from account_balance b join account a using (account_id) where b.account_id = $1`,
    [accountId],
  );
  if (row === undefined) throw new Error(`account ${accountId} has no balance row`);
  return {
    currency: row.currency,
    deposited: BigInt(row.deposited),
    reserved: BigInt(row.reserved),
    captured: BigInt(row.captured),
    orderCount: BigInt(row.last_sequence),
  };
}

/** A page of the account's deposits and adjustments, newest first. */
export async function depositsPage(
  database: Queryable,
  accountId: string,
  page: number,
  limit: number,
): Promise<Page<DepositItem>> {
  const rows = await database.query<DepositRow>('select * from deposits_booked_page($1, $2, $3)', [
    accountId,
    page,
    limit,
  ]);
  return {
    total: Number(rows[0]?.total ?? 0),
    items: rows.filter(({ amount }) => amount !== null).map(depositItem),
  };
}

/** Past the end there is one row with the total only. */
interface DepositRow {
  readonly total: string;
  readonly amount: string | null;
  readonly currency: string;
  readonly created_at: Date;
  readonly kind: DepositItem['kind'];
  readonly account_amount: string;
  readonly reference: string | null;
  readonly reason: string | null;
}

function depositItem(row: DepositRow): DepositItem {
  return {
    amount: BigInt(row.amount ?? 0),
    currency: row.currency,
    createdAt: row.created_at,
    kind: row.kind,
    accountAmount: BigInt(row.account_amount),
    reference: row.reference ?? undefined,
    reason: row.reason ?? undefined,
  };
}

/** One array for each column; the index is the order's place on the page. */
interface OrderColumns {
  readonly ids: readonly string[] | null;
  readonly recipients: readonly string[];
  readonly messages: readonly string[];
  readonly amounts: readonly string[];
  readonly states: readonly OrderState[];
  readonly segments: readonly number[];
  readonly extended: readonly boolean[];
  readonly codes: readonly (string | null)[];
  readonly createdAtMs: readonly number[];
  readonly sentAtMs: readonly (number | null)[];
  readonly finalAtMs: readonly (number | null)[];
}

/** A page of an account's orders, newest first. */
export async function ordersPage(
  database: Queryable,
  accountId: string,
  page: number,
  limit: number,
): Promise<Page<OrderItem>> {
  const [row] = await database.query<{ total: string; columns: OrderColumns }>(
    'select * from orders_page_columns($1, $2, $3)',
    [accountId, page, limit],
  );
  return { total: Number(row?.total ?? 0), items: row === undefined ? [] : orderItems(row.columns) };
}

function orderItems({ ids, ...columns }: OrderColumns): OrderItem[] {
  return (ids ?? []).map((id, place) => ({
    id,
    recipient: columns.recipients[place] as string,
    message: columns.messages[place] as string,
    amount: BigInt(columns.amounts[place] as string),
    state: columns.states[place] as OrderState,
    segments: columns.segments[place] as number,
    isExtended: columns.extended[place] as boolean,
    code: columns.codes[place] ?? undefined,
    createdAt: new Date(columns.createdAtMs[place] as number),
    sentAt: moment(columns.sentAtMs[place]),
    finalAt: moment(columns.finalAtMs[place]),
  }));
}

function moment(milliseconds: number | null | undefined): Date | undefined {
  return typeof milliseconds === 'number' ? new Date(milliseconds) : undefined;
}

/** The orders of one accepted request, in their order, at the accepted price: to replay its answer. */
export async function acceptedOrders(
  database: Queryable,
  accountId: string,
  firstSequence: bigint,
  orderCount: number,
): Promise<{ id: string; recipient: string; price: Micros }[]> {
  const rows = await database.query<{ id: string; recipient: string; price: string }>(
    `select id, recipient, price from message_order
      where account_id = $1 and sequence >= $2 and sequence < $2 + $3 order by sequence`,
    [accountId, firstSequence, orderCount],
  );
  return rows.map((row) => ({ id: row.id, recipient: row.recipient, price: BigInt(row.price) }));
}

/** The request of an account's idempotency key; undefined if the key was not used. */
export async function findKeyedRequest(
  database: Queryable,
  accountId: string,
  key: string,
): Promise<{ fingerprint: Buffer; firstSequence: bigint; orderCount: number } | undefined> {
  const [row] = await database.query<{ fingerprint: Buffer; first_sequence: string; order_count: number }>(
    'select fingerprint, first_sequence, order_count from idempotency_key where account_id = $1 and key = $2',
    [accountId, key],
  );
  return (
    row && {
      fingerprint: row.fingerprint,
      firstSequence: BigInt(row.first_sequence),
      orderCount: row.order_count,
    }
  );
}

/** The rates of a tariff. */
export async function tariffRates(database: Queryable, tariffId: string): Promise<{ prefix: string; price: Micros }[]> {
  const rows = await database.query<{ prefix: string; price: string }>(
    'select prefix, price from tariff_rate where tariff_id = $1',
    [tariffId],
  );
  return rows.map((row) => ({ prefix: row.prefix, price: BigInt(row.price) }));
}
