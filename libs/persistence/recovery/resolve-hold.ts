import type { Database, Queryable } from '../database/database.js';
import { recordOperatorAction } from '../operators/operator-changes.js';
import { OperatorError } from '../operators/operator-error.js';
import { rematchReceipts } from '../receipts/rematch-receipts.js';
import { findHold, HOLD_LOCK, heldCounts, makeLeftDue, makeReleasedDue, SLICE_ORDERS_MAX } from './dispatch-hold.js';

/** What becomes of held orders; `resolve_held_orders` says it in full. */
export type Resolution = 'resend' | 'unknown' | 'refund';

/** Which held orders; everything when empty. */
export interface HeldSelection {
  readonly accountId?: string | undefined;
  /** Accepted at or after. */
  readonly from?: Date | undefined;
  /** Accepted before. */
  readonly to?: Date | undefined;
  readonly state?: 'queued' | 'sending' | undefined;
}

/**
 * Settles held orders whose receipts have come since the restore: those prove that they had gone out. Matched by the
 * destination and the reference that the carrier repeats; carriers that repeat none prove nothing.
 */
export async function settleReceiptedOrders(database: Queryable, inDoubtWaitSeconds: number): Promise<number> {
  let doubted = 0;
  for (;;) {
    const [row] = await database.query<{ n: number }>('select doubt_receipted_orders($1) as n', [SLICE_ORDERS_MAX]);
    if (row === undefined || row.n === 0) break;
    doubted += row.n;
  }
  if (doubted > 0) await rematchReceipts(database, undefined, inDoubtWaitSeconds, 0);
  return doubted;
}

/**
 * Decides about held orders, slice by slice: interrupted, it has decided about some, and may be called again.
 *
 * @param carrierName for `unknown`: the carrier that would have had the orders of which none is recorded
 * @throws OperatorError when no hold is active, or the carrier has to be named
 */
export async function resolveHeldOrders(
  database: Database,
  as: Resolution,
  selection: HeldSelection,
  carrierName?: string,
): Promise<number> {
  if ((await findHold(database)) === undefined) throw new OperatorError('no hold is active');
  const carrierId = as === 'unknown' ? await carrierOf(database, carrierName) : null;
  let resolved = 0;
  for (;;) {
    const decided = await database.transaction((transaction) => resolveSlice(transaction, as, selection, carrierId));
    if (decided === 0) return resolved;
    resolved += decided;
  }
}

async function resolveSlice(
  transaction: Queryable,
  as: Resolution,
  { accountId, from, to, state }: HeldSelection,
  carrierId: number | null,
): Promise<number> {
  const [row] = await transaction.query<{ n: number }>('select resolve_held_orders($1, $2, $3, $4, $5, $6, $7) as n', [
    as,
    accountId ?? null,
    from ?? null,
    to ?? null,
    state ?? null,
    carrierId,
    SLICE_ORDERS_MAX,
  ]);
  const messages = row?.n ?? 0;
  if (messages > 0) {
    await recordOperatorAction(transaction, {
      subject: 'held messages',
      subjectId: accountId === undefined ? 'all accounts' : `account ${accountId}`,
      accountId,
      action: as,
      after: {
        messages,
        ...(from && { from }),
        ...(to && { to }),
        ...(state && { state }),
        ...(carrierId !== null && { carrier_id: carrierId }),
      },
    });
  }
  return messages;
}

/**
 * Ends the hold: what is still held is dispatched as usual. Returns how many orders that are. Interrupted, it may be
 * called again.
 *
 * @throws OperatorError when no hold is active, and an interrupted call has left nothing
 */
export async function releaseHold(database: Database): Promise<number> {
  const released = await database.transaction(async (transaction) => {
    await transaction.query(HOLD_LOCK);
    const hold = await findHold(transaction);
    if (hold === undefined) return undefined;
    const counts = await heldCounts(transaction);
    await transaction.query('update dispatch_hold set released_at = now() where released_at is null');
    return { held: counts.reduce((sum, { count }) => sum + count, 0), before: hold.heldBefore };
  });
  if (released === undefined) {
    const left = await makeLeftDue(database);
    if (left === 0) throw new OperatorError('no hold is active');
    return left;
  }
  const { held, before } = released;
  await makeReleasedDue(database, async () => {
    const rows = await database.query<{ id: string }>(
      `select id from message_order o
        where due_at > now() and state in ('queued', 'sending') and sendable_since(o) < $1
          and (lease_until is null or lease_until <= now())`,
      [before],
    );
    return rows.map(({ id }) => id);
  });
  return held;
}

async function carrierOf(database: Queryable, name: string | undefined): Promise<number> {
  const carriers = await database.query<{ carrier_id: number; name: string }>(
    'select carrier_id, name from carrier where removed_at is null and ($1::text is null or name = $1)',
    [name ?? null],
  );
  const [only] = carriers;
  if (only !== undefined && carriers.length === 1) return only.carrier_id;
  if (name !== undefined) throw new OperatorError(`there is no carrier ${name}`);
  throw new OperatorError(
    carriers.length === 0
      ? 'there is no carrier: as unknown, an order waits for the receipts of one'
      : `say with --carrier whose receipts are to be expected: ${carriers.map((carrier) => carrier.name).join(', ')}`,
  );
}
