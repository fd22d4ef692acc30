import type { OrderState } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { forgetEventTransactions } from '../webhooks/forget-transactions.js';

/** What was open at a restore, or at a moment that an operator named, and is not dispatched until somebody decides. */
export interface DispatchHold {
  /** Orders accepted before it are held. */
  readonly heldBefore: Date;
  readonly reason: string;
  readonly setAt: Date;
}

/** What the service found when it looked at the identity of its database. */
export interface RestoreNotice {
  /** `timeline`: restored to a point in time, or failed over. `database`: restored from a dump, copied or upgraded. */
  readonly change: 'timeline' | 'database';
  /** Undefined: no hold was set. */
  readonly heldBefore: Date | undefined;
}

/** Orders in one transaction, so that none locks for long. */
export const SLICE_ORDERS_MAX = 500;
export const HOLD_LOCK = `select pg_advisory_xact_lock(hashtext('heliograph.dispatch_hold'))`;
const HOLD = `select held_before as "heldBefore", reason, set_at as "setAt"
                from dispatch_hold where released_at is null`;

/**
 * Compares the database with the one that the service last worked on, and sets a hold when it is another one. Only the
 * first caller gets a notice. No worker claims in a restored database before this was called there.
 */
export async function noticeRestoredDatabase(
  database: Queryable,
  holdAfterFailover: boolean,
): Promise<RestoreNotice | undefined> {
  const [known] = await database.query<{ change: RestoreNotice['change'] | null }>(
    'select database_identity_change() as change from database_identity',
  );
  // Nearly always: each process asks with each of its heartbeats.
  if (known?.change === null) return undefined;
  if (known?.change === 'database') await forgetEventTransactions(database);
  const [row] = await database.query<{ change: RestoreNotice['change']; held_before: Date | null }>(
    'select * from notice_restored_database($1)',
    [holdAfterFailover],
  );
  return row && { change: row.change, heldBefore: row.held_before ?? undefined };
}

/**
 * The same, and whoever is the first to notice warns the operator, once.
 *
 * @param warn writes a line of the log, with the facts as its fields
 */
export async function warnOfRestore(
  database: Queryable,
  holdAfterFailover: boolean,
  warn: (facts: RestoreNotice, advice: string) => void,
): Promise<void> {
  const notice = await noticeRestoredDatabase(database, holdAfterFailover);
  if (notice !== undefined) warn(notice, restoreAdvice(notice));
}

/** The hold that is active. */
export async function findHold(database: Queryable): Promise<DispatchHold | undefined> {
  return (await database.query<DispatchHold>(HOLD))[0];
}

/**
 * Makes orders due at once, after a hold, of orders or of an account, was released. First it waits until each call of
 * the reconciler or of a feeder has ended that still saw the hold: it reschedules held orders, and may commit that
 * later. That transaction ends at once, and so do its locks.
 *
 * @param find the ids of what was held; an order that a live worker has is left to it
 * @returns how many they are
 */
export async function makeReleasedDue(database: Database, find: () => Promise<readonly string[]>): Promise<number> {
  await database.transaction(async (transaction) => {
    await transaction.query(`select pg_advisory_xact_lock(hashtext('heliograph.sweep_orders'))`);
    await transaction.query('lock table dispatch_turn in exclusive mode');
  });
  const ids = await find();
  for (let from = 0; from < ids.length; from += SLICE_ORDERS_MAX) {
    await database.query(
      `update message_order set due_at = now()
        where id in (select id from message_order
                      where id = any($1::uuid[]) and due_at > now() and state in ('queued', 'sending')
                        and (lease_until is null or lease_until <= now())
                      order by id for update)`,
      [ids.slice(from, from + SLICE_ORDERS_MAX)],
    );
  }
  return ids.length;
}

/**
 * The same for what an interrupted call has left: queued orders that a feeder took out of their backlog while they were
 * held, so that nothing brings them back before their validity ends.
 *
 * @param accountId undefined: those of all accounts
 */
export async function makeLeftDue(database: Database, accountId?: string): Promise<number> {
  const find = async () => (await database.query<{ id: string }>(LEFT, [accountId ?? null])).map(({ id }) => id);
  return (await find()).length === 0 ? 0 : makeReleasedDue(database, find);
}

/**
 * What is on a queue is due sooner, and a test of a carrier is brought by its worker. The numbers are compared as sets:
 * there may be a million of either.
 */
const LEFT = `
  with left_behind as (
    select o.account_id, o.sequence from message_order o
     where o.due_at > now() + interval '1 minute' and o.state = 'queued' and is_attempt_due(o)
       and o.only_carrier_id is null
       and ($1::bigint is null or o.account_id = $1)
       and not exists (select from dispatch_hold h where h.released_at is null)
       and not exists (select from held_account h where h.account_id = o.account_id)
    except
    select b.account_id, n
      from dispatch_backlog b
     cross join lateral unnest(coalesce(b.sequences,
                                        array(select generate_series(b.first_sequence, b.last_sequence)))) n
     where $1::bigint is null or b.account_id = $1
  )
  select o.id from left_behind l join message_order o using (account_id, sequence)`;

/**
 * Holds what was accepted before a moment; now when none is given.
 *
 * @throws OperatorError when a hold is active already
 */
export function setHold(database: Database, reason: string, before?: Date): Promise<DispatchHold> {
  return database.transaction(async (transaction) => {
    // A restore that nobody has noticed yet would set a hold of its own, over this one.
    const notice = await noticeRestoredDatabase(transaction, true);
    await transaction.query(HOLD_LOCK);
    const active = await findHold(transaction);
    if (active !== undefined && notice === undefined) {
      throw new OperatorError(
        `a hold is active since ${active.setAt.toISOString()} (${active.reason}): release it before setting another`,
      );
    }
    await transaction.query('update dispatch_hold set released_at = now() where released_at is null');
    const [hold] = await transaction.query<DispatchHold>(
      `insert into dispatch_hold (held_before, reason) values (coalesce($1, clock_timestamp()), $2)
       returning held_before as "heldBefore", reason, set_at as "setAt"`,
      [before ?? null, reason],
    );
    if (hold === undefined) throw new Error('the hold was not stored');
    return hold;
  });
}

/** Held orders of one account and of its sandbox in one state. */
export interface HeldOrders {
  readonly accountId: string;
  readonly accountName: string;
  readonly state: OrderState;
  readonly orders: number;
  readonly oldestAt: Date;
  readonly newestAt: Date;
  /** With at least one segment of which it is not known whether the carrier has it. */
  readonly inDoubt: number;
  /** Past their validity: sent again, they would fail and be released instead. */
  readonly expired: number;
}

/** What the active hold keeps back, by account and state. Walks over every open order. */
export function listHeldOrders(database: Queryable): Promise<HeldOrders[]> {
  return database.query<HeldOrders>(
    `select a.account_id as "accountId", a.name as "accountName", o.state, count(*)::integer as orders,
            min(o.created_at) as "oldestAt", max(o.created_at) as "newestAt",
            count(*) filter (where exists (select from segment s where s.message_id = o.id
                                              and s.state in ('submitting', 'in_doubt')))::integer as "inDoubt",
            count(*) filter (where o.valid_until <= now())::integer as expired
       from dispatch_hold h
       join message_order o on is_held(o, h.hold_id, h.held_before)
       join account a on a.account_id = abs(o.account_id)
      where h.released_at is null
      group by a.account_id, o.state order by a.account_id, o.state`,
  );
}

/** How many orders the active hold keeps back, by state; empty without a hold. */
export async function heldCounts(database: Queryable): Promise<{ state: OrderState; count: number }[]> {
  return database.query<{ state: OrderState; count: number }>(
    `select o.state, count(*)::integer as count
       from dispatch_hold h join message_order o on is_held(o, h.hold_id, h.held_before)
      where h.released_at is null group by o.state`,
  );
}

/** Says in one line what a restore means for whoever operates the service. */
function restoreAdvice({ change, heldBefore }: RestoreNotice): string {
  const seen =
    change === 'timeline'
      ? 'the database has a new timeline: it was restored to a point in time, or failed over to a replica'
      : 'this database is not the one that the service last worked on: it was restored, copied or upgraded';
  if (heldBefore === undefined) return `${seen}; HOLD_AFTER_FAILOVER is off, so nothing is held`;
  return (
    `${seen}. Open messages accepted before ${heldBefore.toISOString()} are held, because they may have been sent ` +
    'already; later ones go out. See `smsctl hold show`, decide with `smsctl hold resolve` or `smsctl hold release`'
  );
}
