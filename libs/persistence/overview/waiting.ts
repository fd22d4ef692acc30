import type { Queryable } from '../database/database.js';

/** What waits of one account for one carrier. */
export interface WaitingMessages {
  readonly accountId: string;
  /** 0: not routed yet, or free to go by any carrier. */
  readonly carrierId: number;
  /** What the rows of the backlog point at; some of it may be over already. */
  readonly messages: number;
  /** Age of the oldest one. */
  readonly oldestSeconds: number;
}

/** Messages that a carrier took and whose receipts have not come. */
export interface AwaitedReceipts {
  readonly carrierId: number;
  readonly messages: number;
  /** Since the carrier took the oldest one. */
  readonly oldestSeconds: number;
}

/** The longest waits first. */
const LINES_MAX = 1_000;

/** The backlogs of accounts, without sandboxes. */
export async function listWaiting(database: Queryable): Promise<WaitingMessages[]> {
  return database.query<WaitingMessages>(
    `select b.account_id as "accountId", b.carrier_id as "carrierId", b.messages,
            greatest(0, extract(epoch from now() - sendable_since(o)))::float8 as "oldestSeconds"
       from (select account_id, carrier_id, min(first_sequence) as first_sequence,
                    sum(coalesce(cardinality(sequences), last_sequence - first_sequence + 1))::float8 as messages
               from dispatch_backlog where account_id > 0 group by account_id, carrier_id) b
       join message_order o on o.account_id = b.account_id and o.sequence = b.first_sequence
      order by 4 desc limit $1`,
    [LINES_MAX],
  );
}

/** What carriers still owe receipts for, without sandboxes; at most so many messages are counted, the oldest first. */
export async function listAwaitedReceipts(database: Queryable, messagesMax: number): Promise<AwaitedReceipts[]> {
  return database.query<AwaitedReceipts>(
    `select carrier_id as "carrierId", count(*)::integer as messages,
            greatest(0, extract(epoch from now() - min(sent_at)))::float8 as "oldestSeconds"
       from (select carrier_id, sent_at from message_order
              where due_at is not null and state = 'sent' and account_id > 0 order by due_at limit $1) o
      group by carrier_id`,
    [messagesMax],
  );
}
