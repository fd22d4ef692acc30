import { describe, expect, test } from '@jest/globals';
import { BatchSending, type PostBatch } from '../../apps/console/owner/batch/batch-sending.js';
import { cutChunks } from '../../apps/console/owner/batch/cut-chunks.js';
import { resultOf } from '../../apps/console/owner/batch/result-of.js';
import { b } from '../../apps/console/owner/batch/words.js';
import { ApiError } from '../../apps/console/shell/api/api-error.js';

const ROWS = Array.from({ length: 25 }, (_, index) => {
  const recipient = `+4670${1_000_000 + index}`;
  const row = { row: index + 1, recipient, destination: recipient.slice(1), message: 'hi' };
  return { ...row, segments: 1, isExtended: false, repeats: undefined };
});
const accept: PostBatch = async ({ messages }) => ({
  balanceDeduction: '0.75',
  orderSummary: messages.map((_, index) => ({ messageId: `id-${index}`, amount: 0.075 })),
});

/** What the result says of the rows that were not accepted, once the send of three requests has stopped. */
async function explained(post: PostBatch, isResumed = false): Promise<Record<string, number>> {
  const plan = { id: 'a', chunks: await cutChunks(ROWS, 10), options: {}, leftOut: [], isResumed };
  const sending: BatchSending = new BatchSending(plan, post, async () => undefined);
  await sending.run();
  expect(sending.state.status).toBe('stopped');
  const { notSent, unknown = [] } = resultOf({ sending, notSent: [], currency: 'EUR', delimiter: ';' });
  const counts: Record<string, number> = {};
  for (const { reason } of [...notSent, ...unknown]) counts[reason] = (counts[reason] ?? 0) + 1;
  return { ...counts, unknown: unknown.length };
}

describe('the result of a send that has stopped', () => {
  const lost = new ApiError(0, 'unreachable', 'No answer', 'No answer');
  const failingAt = (first: number, error: ApiError): PostBatch => {
    return (body, key) => (key === `a-${first}` ? Promise.reject(error) : accept(body, key));
  };

  // Whoever sent these rows again by another file would send them twice, if the answer only was lost.
  test('calls rows unknown whose answer was lost, and those behind them stopped', async () => {
    const found = await explained(failingAt(2, lost));
    expect(found).toEqual({ [b.reasons.unknown]: 10, [b.reasons.stopped]: 5, unknown: 10 });
  });

  test('calls nothing unknown that the service refused, and names the row', async () => {
    const fault = { field: 'recipient', code: 'no_rate', detail: 'No price.', arrayPosition: 3 };
    const found = await explained(failingAt(2, new ApiError(400, 'invalid_request', 'Invalid', 'Invalid', [fault])));
    expect(found).toEqual({ [b.reasons.refused]: 1, [b.reasons.stopped]: 14, unknown: 0 });
  });

  test('calls the rest of a resumed send unknown: it may have come further before', async () => {
    const found = await explained(failingAt(1, new ApiError(401, 'unauthorized', 'Over', 'Over')), true);
    expect(found).toEqual({ [b.reasons.unknown]: 25, unknown: 25 });
  });
});
