import type { Micros, OrderState } from '#billing';
import type { Queryable } from '../database/database.js';
import { isUuid } from '../database/is-uuid.js';

/** Where the messages of a batch stand among those of its account. */
export interface BatchNumbers {
  readonly accountId: string;
  readonly firstSequence: number;
  readonly orderCount: number;
}

/** What has become of a batch; of those messages only that are still kept. */
export interface BatchRecord {
  readonly acceptedAt: Date;
  /** The earliest time for which a message was scheduled. */
  readonly sendAt: Date | undefined;
  readonly byState: ReadonlyMap<OrderState, number>;
  /** What its messages cost now. */
  readonly amount: Micros;
}

interface StateRow {
  state: OrderState;
  count: number;
  amount: string;
  accepted_at: Date;
  send_at: Date | null;
}

/** Undefined when the account has no such batch; an operator's command names no account. */
export async function findBatch(
  database: Queryable,
  accountId: string | undefined,
  batchId: string,
): Promise<BatchNumbers | undefined> {
  if (!isUuid(batchId)) return undefined;
  const [row] = await database.query<BatchNumbers>(
    `select account_id as "accountId", first_sequence::float8 as "firstSequence", order_count as "orderCount"
       from message_batch where batch_id = $2 and ($1::bigint is null or account_id = $1)`,
    [accountId ?? null, batchId],
  );
  return row;
}

/** The messages of a batch by their states, all of one moment; undefined when none of them is kept any more. */
export async function batchRecord(
  database: Queryable,
  accountId: string,
  { firstSequence, orderCount }: BatchNumbers,
): Promise<BatchRecord | undefined> {
  const rows = await database.query<StateRow>(
    `select state, count(*)::integer as count, sum(amount)::bigint as amount, min(created_at) as accepted_at, min(send_at) as send_at
       from message_order where account_id = $1 and sequence between $2 and $3 group by state`,
    [accountId, firstSequence, firstSequence + orderCount - 1],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const sendTimes = rows.flatMap(({ send_at: sendAt }) => (sendAt === null ? [] : [sendAt.getTime()]));
  return {
    acceptedAt: first.accepted_at,
    sendAt: sendTimes.length > 0 ? new Date(Math.min(...sendTimes)) : undefined,
    byState: new Map(rows.map(({ state, count }) => [state, count])),
    amount: rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
  };
}
