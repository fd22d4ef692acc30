import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { recordOperatorAction } from '../operators/operator-changes.js';
import { makeLeftDue, makeReleasedDue, SLICE_ORDERS_MAX } from '../recovery/dispatch-hold.js';
import { type AccountOverview, findAccount } from './accounts.js';
import { lockAccount, refuseInternal } from './lock-account.js';
import { isSandbox, managedAccounts, sandboxOf } from './sandbox.js';

/** What happens to the queued messages of a suspended account; undefined: no change, and by default they are sent. */
type QueuedFate =
  /** They wait until the account is resumed, within their validity. */
  | 'hold'
  /** They fail, and their reservations are released. */
  | 'refund'
  | undefined;

export interface Suspension {
  readonly account: AccountOverview;
  /** Messages that are queued now. */
  readonly queued: number;
  /** Messages that a worker has claimed: they go on. */
  readonly sending: number;
  /** Whether the queued messages are held. */
  readonly isHolding: boolean;
  readonly refunded: number;
}

/**
 * Refuses all requests of an account and of its sandbox: gateways after they get the notice, the accept statement at
 * once. Queued messages go on, are held, or are refunded, those of the sandbox as well; claimed messages go on in any
 * case. Doing it twice is no error; without a fate, held messages stay held. The answer counts no test messages.
 *
 * @throws OperatorError when there is no such account, or it is closed or the service's own
 */
export async function suspendAccount(database: Database, accountId: string, fate?: QueuedFate): Promise<Suspension> {
  const isHolding = await database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    await refuseInternal(transaction, accountId);
    await setStatus(transaction, accountId, 'suspended');
    if (fate === 'hold') {
      await transaction.query(
        'insert into held_account (account_id) select account_id from account where account_id = any($1) on conflict do nothing',
        [managedAccounts(accountId)],
      );
    }
    const [held] = await transaction.query('select from held_account where account_id = $1', [accountId]);
    return held !== undefined;
  });
  const refunded = fate === 'refund' ? await refundQueued(database, accountId) : 0;
  if (fate === 'refund') await refundQueued(database, sandboxOf(accountId));
  const { queued, sending } = await countOpen(database, accountId);
  return { account: await findAccount(database, accountId), queued, sending, isHolding, refunded };
}

/**
 * Lets a suspended account send again and queues its held messages at once. Returns their number. Interrupted, it may
 * be called again.
 *
 * @throws OperatorError when there is no such account, or it is closed
 */
export async function resumeAccount(
  database: Database,
  accountId: string,
): Promise<{ readonly account: AccountOverview; readonly released: number }> {
  const wasHolding = await database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    await setStatus(transaction, accountId, 'active');
    const released = await transaction.query(
      'delete from held_account where account_id = any($1) returning account_id',
      [managedAccounts(accountId)],
    );
    return released.length > 0;
  });
  const makeDue = (id: string) =>
    wasHolding ? makeReleasedDue(database, () => queuedIds(database, id)) : makeLeftDue(database, id);
  const released = await makeDue(accountId);
  await makeDue(sandboxOf(accountId));
  return { account: await findAccount(database, accountId), released };
}

async function setStatus(transaction: Queryable, accountId: string, status: 'active' | 'suspended'): Promise<void> {
  await transaction.query('update account set status = $2 where account_id in ($1, -$1::bigint)', [accountId, status]);
  await announceChange(transaction, 'accounts');
}

/** Counts the open messages of an account; reads every open message. Scheduled messages count as queued. */
export async function countOpen(
  database: Queryable,
  accountId: string,
): Promise<{ readonly queued: number; readonly sending: number }> {
  const [row] = await database.query<{ queued: number; sending: number }>(
    `select (count(*) filter (where state = 'queued') + (select count(*) from scheduled_ids($1)))::integer as queued,
            count(*) filter (where state = 'sending')::integer as sending
       from message_order where due_at is not null and account_id = $1 and state in ('queued', 'sending')`,
    [accountId],
  );
  return row ?? { queued: 0, sending: 0 };
}

/**
 * Each slice locks its orders in the order of their ids, as claims do. An order that a worker claimed first is left to
 * the worker. What is refunded in a sandbox is not recorded: its money is not real.
 */
export async function refundQueued(database: Database, accountId: string): Promise<number> {
  const scheduled = await database.query<{ id: string }>('select id from scheduled_ids($1) as id', [accountId]);
  const ids = [...(await queuedIds(database, accountId)), ...scheduled.map(({ id }) => id)];
  let refunded = 0;
  for (let from = 0; from < ids.length; from += SLICE_ORDERS_MAX) {
    refunded += await database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ n: number }>('select refund_queued_orders($1) as n', [
        ids.slice(from, from + SLICE_ORDERS_MAX),
      ]);
      const messages = row?.n ?? 0;
      if (messages > 0 && !isSandbox(accountId)) {
        await recordOperatorAction(transaction, {
          subject: 'queued messages',
          subjectId: `account ${accountId}`,
          accountId,
          action: 'refund',
          after: { messages, state: 'failed' },
        });
      }
      return messages;
    });
  }
  return refunded;
}

async function queuedIds(database: Queryable, accountId: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id from message_order where due_at is not null and account_id = $1 and state = 'queued' order by id`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}
