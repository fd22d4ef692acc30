import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NOT_ROUTED, putInBacklog, takeFromBacklog } from '#persistence';
import { batchOf, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

test('a take from anywhere begins with any row of an account, so that none keeps those behind it for ever', async () => {
  const account = await ledger.account(1_000);
  const rowOf = new Map<string, number>();
  for (let row = 0; row < 3; row += 1) {
    const messages = Array.from({ length: 10 }, () => ledger.message());
    await ledger.accept(account, [batchOf(messages)]);
    for (const { id } of messages) rowOf.set(id, row);
  }
  const begunWith = new Set<number | undefined>();
  for (let tries = 0; tries < 60; tries += 1) {
    const [first] = await takeFromBacklog(ledger.database, {
      carrierId: NOT_ROUTED,
      segmentsMax: 1,
      quantum: 1,
      dueAfterSeconds: 60,
      inFlightMax: undefined,
      isAnywhere: true,
    });
    if (first === undefined) break;
    begunWith.add(rowOf.get(first.id));
    await putInBacklog(ledger.database, [first.id], NOT_ROUTED, 'bulk');
  }
  expect([...begunWith].sort()).toEqual([0, 1, 2]);
});
