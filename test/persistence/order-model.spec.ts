import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, fuzz, fuzzRuns } from '../support/fuzz.js';
import { batchOf, TestLedger } from '../support/test-ledger.js';
import { orderCommands, type Stored, type World } from './order-commands.js';
import { OrderModel } from './order-model.js';

/**
 * The database's functions against a model in memory that was written from the documentation: after every step of a
 * history both must tell the same states, segments, transitions and money.
 */
let ledger: TestLedger;
let hold: number;
beforeAll(async () => {
  ledger = await TestLedger.create();
  hold = await ledger.carrier({ inDoubtPolicy: 'hold' });
});
afterAll(() => ledger.close());

test(
  'after every step of any history, each order has the state, the segments and the money that the documentation says',
  async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
        orderCommands(40),
        async (lengths, commands) => {
          const messages = lengths.map((length) => ledger.message(length));
          const account = await ledger.account(lengths.reduce((sum, length) => sum + length, 0));
          // Each by itself: what comes in a batch waits for its account’s turn, which nobody takes here.
          await ledger.accept(
            account,
            messages.map((message) => batchOf([message])),
          );
          const carriers = { resend: ledger.carrierId, hold };
          const world: World = { now: 0, orders: lengths.map((length) => new OrderModel(length, 0)), owners: [] };
          const real: Stored = { ledger, account, messages, carriers, startedMs: performance.now() };
          await fc.asyncModelRun(() => ({ model: world, real }), commands);
          for (const { transitions } of world.orders) for (const { from, to } of transitions) seen.add(`${from}-${to}`);
        },
      ),
      fuzz(60),
    );
    await ledger.expectClean();
    // Most of what may happen did happen, so the property is not proven of nothing.
    if (fuzzRuns(60) >= 60) expect(seen.size).toBeGreaterThanOrEqual(6);
  },
  FUZZ_TIMEOUT_MS,
);
