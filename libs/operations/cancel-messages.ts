import { setTimeout as delay } from 'node:timers/promises';
import type { Micros } from '#billing';
import {
  CANCEL_ORDERS_MAX,
  type CanceledOrder,
  cancelOrders,
  cancelRange,
  type Database,
  failureKind,
  findBatch,
  findMessage,
  OperatorError,
  ownerOf,
  type Queryable,
  recordOperatorAction,
} from '#persistence';

const RETRY_AFTER_MS = 50;
const WAIT_MAX_MS = 3_000;

/** What became of a cancellation. */
interface CancelAnswer {
  readonly canceled: number;
  /** A carrier has it, or may have it, or it has ended. */
  readonly notCanceled: number;
  /** What was given back. */
  readonly released: Micros;
}

/** @throws OperatorError when there is no such message, or a worker works on it for longer than 3 seconds */
export async function messageCancel(database: Database, { id }: { readonly id: string }): Promise<CancelAnswer> {
  const { accountId } = await findMessage(database, id, false);
  const orders = await cancelAndRecord(database, accountId, `message ${id}`, (transaction) =>
    cancelOrders(transaction, accountId, [id]),
  );
  return sumOf(orders);
}

/**
 * Cancels what it can of a batch, slice by slice: interrupted, it has canceled some, and may be called again.
 *
 * @throws OperatorError when there is no such batch, or a worker works on it for longer than 3 seconds
 */
export async function batchCancel(
  database: Database,
  { batchId }: { readonly batchId: string },
): Promise<CancelAnswer> {
  const batch = await findBatch(database, undefined, batchId);
  if (batch === undefined) throw new OperatorError(`there is no batch ${batchId}`, 'missing');
  const { accountId, firstSequence, orderCount } = batch;
  const last = firstSequence + orderCount - 1;
  const orders: CanceledOrder[] = [];
  for (let first = firstSequence; first <= last; first += CANCEL_ORDERS_MAX) {
    const end = Math.min(last, first + CANCEL_ORDERS_MAX - 1);
    const slice = await cancelAndRecord(database, accountId, `batch ${batchId}`, (transaction) =>
      cancelRange(transaction, accountId, first, end),
    );
    orders.push(...slice);
  }
  return sumOf(orders);
}

/** The record of the change is in its transaction. While another transaction holds a row, it is tried again. */
async function cancelAndRecord(
  database: Database,
  accountId: string,
  subjectId: string,
  cancel: (transaction: Queryable) => Promise<CanceledOrder[]>,
): Promise<CanceledOrder[]> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await database.transaction(async (transaction) => {
        const orders = await cancel(transaction);
        const { canceled } = sumOf(orders);
        if (canceled > 0) {
          await recordOperatorAction(transaction, {
            subject: 'queued messages',
            subjectId,
            accountId: ownerOf(accountId),
            action: 'cancel',
            after: { messages: canceled },
          });
        }
        return orders;
      });
    } catch (error) {
      if (failureKind(error) !== 'retryable') throw error;
      if (performance.now() - startMs > WAIT_MAX_MS) throw new OperatorError('workers are busy with it: try again');
    }
    await delay(RETRY_AFTER_MS);
  }
}

function sumOf(orders: readonly CanceledOrder[]): CancelAnswer {
  const canceled = orders.filter(({ state }) => state === 'canceled');
  return {
    canceled: canceled.length,
    notCanceled: orders.length - canceled.length,
    released: canceled.reduce((sum, { released }) => sum + released, 0n),
  };
}
