import { Inject, Injectable } from '@nestjs/common';
import { Coalescer, Overloaded } from '#batching';
import { formatMicros, type OrderState } from '#billing';
import type { Config } from '#config';
import {
  CANCEL_ORDERS_MAX,
  type CanceledOrder,
  cancelOrders,
  cancelRange,
  Database,
  failureKind,
  findBatch,
  type KeyHolder,
} from '#persistence';
import { tryAgain } from '#timing';
import { Problem } from '../http/problem.js';
import { CONFIG } from '../injected.js';
import type { CancelBatchResult, CancelResult } from './cancel.dto.js';

const RETRY_AFTER_MS = 50;
/** Messages of one account that wait to be canceled. */
const PENDING_MAX = 1_000;

/**
 * USE CASE: cancels messages that no carrier has, and gives their charge back. An order is canceled or claimed by a
 * worker, never both, and is given back once, however often it is canceled.
 */
@Injectable()
export class CancelMessages {
  /** Cancels of an account that come at the same time share a transaction: each of them would lock its balance. */
  private readonly cancels = new Coalescer<string, CanceledOrder | undefined>(
    (ids, accountId) => this.cancelTogether(accountId, ids),
    { keysApart: true, itemsMax: CANCEL_ORDERS_MAX, pendingMax: PENDING_MAX },
  );

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @throws Problem `not_found`, in the same words for an id that is unknown and for one of another account
   * @throws Problem `not_cancelable` when a carrier has it, or may have it, or it has ended
   */
  async cancel({ accountId, currency }: KeyHolder, messageId: string): Promise<CancelResult> {
    const order = await this.cancels.add(messageId, accountId);
    if (order === undefined) throw new Problem('not_found', 'This account has no message with this id.');
    if (order.state !== 'canceled') throw new Problem('not_cancelable', whyNot(order.state));
    const { id, state, released } = order;
    return { success: true, messageId: id, status: state, balanceReleased: formatMicros(released), currency };
  }

  /**
   * Cancels what it can of a batch, slice by slice: interrupted, it has canceled some, and may be called again.
   *
   * @throws Problem as for a message; `not_cancelable` if none of the batch is canceled
   */
  async cancelBatch({ accountId, currency }: KeyHolder, batchId: string): Promise<CancelBatchResult> {
    const batch = await findBatch(this.database, accountId, batchId);
    if (batch === undefined) throw new Problem('not_found', 'This account has no batch with this id.');
    const { firstSequence, orderCount } = batch;
    const orders: CanceledOrder[] = [];
    const last = firstSequence + orderCount - 1;
    for (let first = firstSequence; first <= last; first += CANCEL_ORDERS_MAX) {
      const end = Math.min(last, first + CANCEL_ORDERS_MAX - 1);
      orders.push(...(await this.whenFree(() => cancelRange(this.database, accountId, first, end))));
    }
    const canceled = orders.filter(({ state }) => state === 'canceled');
    if (canceled.length === 0) {
      throw new Problem(
        'not_cancelable',
        'Carriers have all messages of this batch, or may have them, or they have ended.',
      );
    }
    return {
      success: true,
      batchId,
      message: `${canceled.length} of ${orderCount} ${orderCount === 1 ? 'message' : 'messages'} canceled`,
      balanceReleased: formatMicros(canceled.reduce((sum, { released }) => sum + released, 0n)),
      currency,
      orderSummary: orders.map(({ id, sequence, recipient, state }) => ({
        arrayPosition: sequence - firstSequence,
        recipient,
        messageId: id,
        status: state,
      })),
    };
  }

  private async cancelTogether(accountId: string, ids: readonly string[]): Promise<(CanceledOrder | undefined)[]> {
    const orders = await this.whenFree(() => cancelOrders(this.database, accountId, ids));
    const byId = new Map(orders.map((order) => [order.id, order]));
    return ids.map((id) => byId.get(id));
  }

  /**
   * Tries again while another transaction holds a row.
   *
   * @throws Overloaded after the time for which a send waits
   */
  private async whenFree<Result>(work: () => Promise<Result>): Promise<Result> {
    const isHeld = (error: unknown) => failureKind(error) === 'retryable';
    const bounds = { giveUpAfterMs: this.config.ACCEPT_WAIT_MAX_MS, waitMs: RETRY_AFTER_MS };
    try {
      return await tryAgain(work, isHeld, bounds);
    } catch (error) {
      throw isHeld(error) ? new Overloaded(1) : error;
    }
  }
}

function whyNot(state: OrderState): string {
  switch (state) {
    case 'scheduled':
    case 'queued':
      return 'It may have been handed to a carrier already, so it cannot be canceled.';
    case 'sending':
      return 'It is being handed to a carrier, so it cannot be canceled.';
    case 'sent':
      return 'A carrier has it, so it cannot be canceled.';
    default:
      return `It has ended as ${state}, so it cannot be canceled.`;
  }
}
