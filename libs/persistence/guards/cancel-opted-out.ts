import { tryAgain } from '#timing';
import type { Queryable } from '../database/database.js';
import { failureKind } from '../database/database-errors.js';
import { CANCEL_ORDERS_MAX } from '../dispatch/cancel-orders.js';

const CANCEL_RETRIES = { giveUpAfterMs: 5_000, waitMs: 50 };
const NO_RETRIES = { giveUpAfterMs: 0, waitMs: 0 };
/** Whoever put the number on the list cancels at once; the reconciler comes after that, and again after each time. */
const DUE_AFTER_SECONDS = 5;
const OPT_OUTS_MAX = 100;

/**
 * Notes that messages to a number may still wait, in the transaction that puts it on the list. That transaction holds
 * the balance, so every message that was accepted before has a number up to the last one of now.
 */
export async function openOptOut(transaction: Queryable, accountId: string, e164: string): Promise<void> {
  await transaction.query(
    `insert into open_opt_out (account_id, destination, last_sequence, due_at)
     select b.account_id, $2, b.last_sequence, now() + make_interval(secs => $3)
       from account_balance b where b.account_id = $1 and b.last_sequence > 0
     on conflict (account_id, destination) do update set last_sequence = excluded.last_sequence`,
    [accountId, e164, DUE_AFTER_SECONDS],
  );
}

/** The recipient wants messages again. */
export async function forgetOptOut(transaction: Queryable, accountId: string, e164: string): Promise<void> {
  await transaction.query('delete from open_opt_out where account_id = $1 and destination = $2', [accountId, e164]);
}

/**
 * Cancels the messages to a number that no carrier has, if they were accepted before it was put on the list.
 *
 * @returns how many
 */
export async function cancelOptedOut(
  database: Queryable,
  accountId: string,
  e164: string,
  retries = CANCEL_RETRIES,
): Promise<number> {
  let canceled = 0;
  let before: string | null = null;
  do {
    const parameters: readonly unknown[] = [accountId, e164, before, CANCEL_ORDERS_MAX];
    const [slice]: Slice[] = await tryAgain(() => database.query<Slice>(CANCEL_TO, parameters), isRetryable, retries);
    canceled += slice?.canceled ?? 0;
    before = slice?.lowest ?? null;
  } while (before !== null);
  await database.query(CLOSE, [accountId, e164, DUE_AFTER_SECONDS]);
  return canceled;
}

/**
 * Cancels what interrupted calls have left, and what carriers have sent back since: the reconciler's part. A message
 * that a carrier may have is looked at again until it is final.
 */
export async function finishOptOuts(database: Queryable): Promise<void> {
  const due = await database.query<{ accountId: string; destination: string }>(
    `select account_id as "accountId", destination from open_opt_out where due_at <= now() order by due_at limit $1`,
    [OPT_OUTS_MAX],
  );
  for (const { accountId, destination } of due) {
    try {
      await cancelOptedOut(database, accountId, destination, NO_RETRIES);
    } catch (error) {
      if (!isRetryable(error)) throw error;
      // Another transaction holds one of the orders.
      await database.query(CLOSE, [accountId, destination, DUE_AFTER_SECONDS]);
    }
  }
}

function isRetryable(error: unknown): boolean {
  return failureKind(error) === 'retryable';
}

interface Slice {
  canceled: number;
  lowest: string | null;
}

/** The waiting orders of one number, a slice at a time; `lowest` is null when there are no more. */
const CANCEL_TO = `
  with waiting as materialized (
    select o.id, o.sequence from open_opt_out p
      join message_order o on o.account_id = p.account_id and o.destination = p.destination
     where p.account_id = $1 and p.destination = $2 and o.sequence <= p.last_sequence
       and ($3::bigint is null or o.sequence < $3) and o.state in ('scheduled', 'queued')
     order by o.sequence desc limit $4
  )
  select (select count(*)::integer from cancel_orders($1, array(select w.id from waiting w), 'OPTED_OUT') c
           where c.state = 'canceled') as canceled,
         (select min(w.sequence) from waiting w having count(*) = $4) as lowest`;

/** Over, when nothing of it waits or may come back to wait; else due again. */
const CLOSE = `
  with open as materialized (
    select p.last_sequence, exists (
             select from message_order o
              where o.account_id = p.account_id and o.destination = p.destination and o.sequence <= p.last_sequence
                and o.state in ('scheduled', 'queued', 'sending')) as is_left
      from open_opt_out p where p.account_id = $1 and p.destination = $2
  ), closed as (
    delete from open_opt_out p using open
     where not open.is_left and p.account_id = $1 and p.destination = $2 and p.last_sequence = open.last_sequence
  )
  update open_opt_out p set due_at = now() + make_interval(secs => $3)
    from open where open.is_left and p.account_id = $1 and p.destination = $2`;
