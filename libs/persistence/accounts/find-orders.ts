import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';
import { learnTextKeys } from '../texts/text-keys.js';

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
  readonly reference: string | undefined;
  readonly tag: string | undefined;
  /** The time for which it was scheduled. */
  readonly sendAt: Date | undefined;
}

/** Which orders of an account; all if it is empty. */
export interface OrderFilters {
  readonly state?: OrderState | undefined;
  /** In E.164 form. */
  readonly destination?: string | undefined;
  /** Accepted at or after. */
  readonly from?: Date | undefined;
  /** Accepted before. */
  readonly to?: Date | undefined;
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
}

export interface OrderPage {
  /** Newest first. A page of filtered orders may be short and still have a next one. */
  readonly items: readonly OrderItem[];
  /** Undefined on a page that was asked for by `before`, if it would have to be counted. */
  readonly total: number | undefined;
  /** There may be more orders than `total`. */
  readonly isCapped: boolean;
  /** What `before` has to be for the next page; undefined: there is none. */
  readonly next: number | undefined;
}

/** One array for each column; the index is the order's place on the page. */
interface OrderColumns {
  readonly sequences: readonly number[] | null;
  readonly ids: readonly string[];
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
  readonly sendAtMs: readonly (number | null)[];
  readonly labels: Readonly<Record<number, readonly [reference: string | null, tag: string | null]>> | null;
}

interface PageRow {
  readonly total: string | null;
  readonly is_capped: boolean | null;
  readonly next: string | null;
  readonly columns: OrderColumns;
}

/**
 * A page of an account's orders: by its number, counted from 1, or the one that follows another (`before`). Takes at
 * most some milliseconds, whatever is looked for in however many orders.
 *
 * @throws TextUnreadable when this process cannot read a text
 */
export async function findOrders(
  database: Queryable,
  accountId: string,
  page: { readonly page: number; readonly limit: number; readonly before?: number | undefined },
  { state, destination, from, to, reference, tag }: OrderFilters = {},
): Promise<OrderPage> {
  const [row] = await database.query<PageRow>(
    'select * from find_orders($1, $2, $3, $4, $5, $6, $7::order_state, $8, $9, $10)',
    [
      accountId,
      page.before === undefined ? page.page : 1,
      page.limit,
      page.before ?? null,
      from ?? null,
      to ?? null,
      state ?? null,
      destination ?? null,
      reference ?? null,
      tag ?? null,
    ],
  );
  if (row === undefined) throw new Error(`account ${accountId} has no page of orders`);
  if (row.columns.sequences !== null) await learnTextKeys(database, row.columns.messages);
  return {
    items: orderItems(database, row.columns),
    total: row.total === null ? undefined : Number(row.total),
    isCapped: row.is_capped ?? false,
    next: row.next === null ? undefined : Number(row.next),
  };
}

function orderItems({ texts }: Queryable, { sequences, labels, ...columns }: OrderColumns): OrderItem[] {
  return (sequences ?? []).map((sequence, place) => ({
    id: columns.ids[place] as string,
    recipient: columns.recipients[place] as string,
    message: texts.open(columns.messages[place] as string, `message:${columns.ids[place]}`),
    amount: BigInt(columns.amounts[place] as string),
    state: columns.states[place] as OrderState,
    segments: columns.segments[place] as number,
    isExtended: columns.extended[place] as boolean,
    code: columns.codes[place] ?? undefined,
    createdAt: new Date(columns.createdAtMs[place] as number),
    sentAt: moment(columns.sentAtMs[place]),
    finalAt: moment(columns.finalAtMs[place]),
    sendAt: moment(columns.sendAtMs[place]),
    reference: labels?.[sequence]?.[0] ?? undefined,
    tag: labels?.[sequence]?.[1] ?? undefined,
  }));
}

function moment(milliseconds: number | null | undefined): Date | undefined {
  return typeof milliseconds === 'number' ? new Date(milliseconds) : undefined;
}
