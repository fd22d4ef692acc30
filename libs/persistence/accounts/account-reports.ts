import type { Micros } from '#billing';
import type { Queryable } from '../database/database.js';

export interface AccountFigures {
  readonly currency: string;
  readonly deposited: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
  readonly orderCount: bigint;
}

/** All figures of accounts: one row each, whatever the number of their messages. */
export async function figuresOfAccounts(
  database: Queryable,
  accountIds: readonly string[],
): Promise<(AccountFigures | undefined)[]> {
  const rows = await database.query<{
    account_id: string;
    currency: string;
    deposited: string;
    reserved: string;
    captured: string;
    last_sequence: string;
  }>(
    `select b.account_id, a.currency, b.deposited, b.reserved, b.captured, b.last_sequence
       from account_balance b join account a using (account_id) where b.account_id = any($1::bigint[])`,
    [accountIds],
  );
  const figures = new Map(
    rows.map((row) => [
      row.account_id,
      {
        currency: row.currency,
        deposited: BigInt(row.deposited),
        reserved: BigInt(row.reserved),
        captured: BigInt(row.captured),
        orderCount: BigInt(row.last_sequence),
      },
    ]),
  );
  return accountIds.map((accountId) => figures.get(accountId));
}

export async function accountFigures(database: Queryable, accountId: string): Promise<AccountFigures> {
  const [figures] = await figuresOfAccounts(database, [accountId]);
  if (figures === undefined) throw new Error(`account ${accountId} has no balance row`);
  return figures;
}

interface AcceptedOrder {
  readonly id: string;
  readonly price: Micros;
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
  readonly sendAt?: Date | undefined;
}

/** The orders of one accepted request, in their order, at the accepted price: to replay its answer. */
export async function acceptedOrders(
  database: Queryable,
  accountId: string,
  firstSequence: bigint,
  orderCount: number,
): Promise<AcceptedOrder[]> {
  const rows = await database.query<
    Record<'id' | 'price', string> & Record<'reference' | 'tag', string | null> & { sendAt: Date | null }
  >(
    `select o.id, o.price, o.send_at as "sendAt", l.reference, l.tag
       from message_order o left join order_label l using (account_id, sequence)
      where o.account_id = $1 and o.sequence >= $2 and o.sequence < $2 + $3 order by o.sequence`,
    [accountId, firstSequence, orderCount],
  );
  return rows.map(({ price, reference, tag, sendAt, ...row }) => ({
    ...row,
    price: BigInt(price),
    reference: reference ?? undefined,
    tag: tag ?? undefined,
    sendAt: sendAt ?? undefined,
  }));
}

/** The id of the batch that begins with a number. */
export async function batchFrom(
  database: Queryable,
  accountId: string,
  firstSequence: bigint,
): Promise<string | undefined> {
  const [row] = await database.query<{ batch_id: string }>(
    'select batch_id from message_batch where account_id = $1 and first_sequence = $2',
    [accountId, firstSequence],
  );
  return row?.batch_id;
}

/** The equal request that had an account's idempotency key before; undefined if there was none. */
export async function findKeyedRequest(
  database: Queryable,
  accountId: string,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: Buffer },
): Promise<{ firstSequence: bigint; orderCount: number } | undefined> {
  const [row] = await database.query<{ fingerprint: Buffer; first_sequence: string; order_count: number }>(
    'select fingerprint, first_sequence, order_count from idempotency_key where account_id = $1 and key = $2',
    [accountId, key],
  );
  const isEqual = database.texts.fingerprints(fingerprint).some((one) => row?.fingerprint.equals(one));
  return row && isEqual ? { firstSequence: BigInt(row.first_sequence), orderCount: row.order_count } : undefined;
}

/** Which of these references messages of the account have. */
export async function usedReferences(
  database: Queryable,
  accountId: string,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ reference: string }>(
    'select distinct reference from order_label where account_id = $1 and reference = any($2)',
    [accountId, references],
  );
  return new Set(rows.map(({ reference }) => reference));
}
