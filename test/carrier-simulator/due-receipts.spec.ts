import { afterEach, expect, test } from '@jest/globals';
import { DueReceipts } from '../../apps/carrier-simulator/due-receipts.js';
import type { Receipt } from '../../apps/carrier-simulator/receipt.js';
import { Timers } from '../../apps/carrier-simulator/timers.js';

const timers = new Timers();

afterEach(() => timers.close());

function receipt(messageId: string): Receipt {
  const address = { ton: 1, npi: 1, value: '1' };
  return {
    systemId: 's',
    submittedBy: 1,
    messageId,
    aboutId: messageId,
    receiptId: messageId,
    sender: address,
    handset: address,
    state: 'DELIVRD',
    isGarbage: false,
    submittedAtMs: 0,
    excerpt: '',
    userMessageReference: undefined,
    failedTries: 0,
  };
}

test('receipts of one delay come in the order of their messages, none too early, and those of one millisecond together', async () => {
  const [delayMs, count] = [30, 1_000];
  const scheduledAtMs: number[] = [];
  const came: { readonly id: number; readonly afterMs: number }[] = [];
  let calls = 0;
  await new Promise<void>((done) => {
    const due = new DueReceipts(timers, (receipts) => {
      calls++;
      const now = performance.now();
      for (const { messageId } of receipts) {
        came.push({ id: Number(messageId), afterMs: now - (scheduledAtMs[Number(messageId)] ?? 0) });
      }
      if (came.length === count) done();
    });
    for (let id = 0; id < count; id++) {
      scheduledAtMs.push(performance.now());
      due.add(receipt(String(id)), delayMs);
    }
  });

  expect(came.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
  expect(Math.min(...came.map(({ afterMs }) => afterMs))).toBeGreaterThanOrEqual(delayMs);
  expect(calls).toBeLessThan(count);
});
