import { Injectable } from '@nestjs/common';
import { ORDER_STATES, type OrderState } from '#billing';
import { batchRecord, FreshReads, findBatch, type KeyHolder } from '#persistence';
import { Problem } from '../http/problem.js';
import { testMark } from '../http/test-mark.js';
import type { Batch } from './batch.dto.js';

const OPEN: readonly OrderState[] = ['scheduled', 'queued', 'sending', 'sent'];

/** USE CASE: how far a batch has come, as of a moment after the request arrived. */
@Injectable()
export class ShowBatch {
  constructor(private readonly reads: FreshReads) {}

  /** @throws Problem `not_found`, in the same words for an id that is unknown and for one of another account */
  async show(account: KeyHolder, batchId: string): Promise<Batch> {
    const { accountId, currency } = account;
    const found = await this.reads.read(async (database) => {
      const numbers = await findBatch(database, accountId, batchId);
      const record = numbers && (await batchRecord(database, accountId, numbers));
      return record && { ...record, messages: numbers.orderCount };
    });
    if (found === undefined) throw new Problem('not_found', 'This account has no batch with this id.');
    const { byState, messages, amount, acceptedAt, sendAt } = found;
    const countOf = (state: OrderState) => byState.get(state) ?? 0;
    return {
      batchId,
      messages,
      byStatus: Object.fromEntries(ORDER_STATES.map((state) => [state, countOf(state)])) as Batch['byStatus'],
      completed: OPEN.every((state) => countOf(state) === 0),
      amount,
      currency,
      acceptedAt,
      sendAt: sendAt ?? null,
      test: testMark(account),
    };
  }
}
