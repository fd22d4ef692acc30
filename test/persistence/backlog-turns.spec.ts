import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  cancelOrders,
  type FedOrder,
  NOT_ROUTED,
  type PricedMessage,
  putInBacklog,
  takeFromBacklog,
} from '#persistence';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { batchOf, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
beforeEach(() => ledger.forgetOpenWork());
afterAll(() => ledger.close());

const take = (quantum: number): Promise<FedOrder[]> =>
  takeFromBacklog(ledger.database, {
    carrierId: NOT_ROUTED,
    segmentsMax: 1_000,
    quantum,
    dueAfterSeconds: 60,
    inFlightMax: undefined,
  });

const aStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('accept' as const), segments: lengths(8) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const), quantum: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('putBack' as const), every: fc.integer({ min: 1, max: 4 }) }) },
  // A job that another worker had claims it although it stands in the backlog.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('claim' as const), every: fc.integer({ min: 1, max: 4 }) }) },
);

test(
  'in turns of any length each order that waits comes up once, whatever stands in the rows',
  async () => {
    const [one, other] = [await ledger.account(1_000_000), await ledger.account(1_000_000)];
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 14 }), async (steps) => {
        const waiting = new Map<string, PricedMessage>();
        const taken = new Map<string, PricedMessage>();
        const takeTurns = async (quantum: number): Promise<number> => {
          const orders = await take(quantum);
          const turns = new Map<string, number[]>();
          for (const { id, accountId, segments } of orders) {
            const message = waiting.get(id);
            if (message === undefined) throw new Error(`${id} does not wait`);
            waiting.delete(id);
            taken.set(id, message);
            turns.set(accountId, [...(turns.get(accountId) ?? []), segments]);
          }
          // The last message of a turn may be longer than what is left of it.
          for (const turn of turns.values()) expect(sumOf(turn.slice(0, -1))).toBeLessThan(quantum);
          return orders.length;
        };
        for (const [n, step] of steps.entries()) {
          if (step.do === 'accept') {
            const messages = step.segments.map((segments) => ledger.message(segments));
            await ledger.accept(n % 2 === 0 ? one : other, [{ ...batchOf(messages), inBacklog: true }]);
            for (const message of messages) waiting.set(message.id, message);
          } else if (step.do === 'take') {
            await takeTurns(step.quantum);
          } else if (step.do === 'putBack') {
            const back = everyOf(taken, step.every);
            await putInBacklog(
              ledger.database,
              back.map(([id]) => id),
              NOT_ROUTED,
              n % 2 === 0 ? 'bulk' : 'interactive',
            );
            for (const [id, message] of back) {
              waiting.set(id, message);
              taken.delete(id);
            }
          } else {
            const claimed = everyOf(waiting, step.every).map(([id]) => id);
            await ledger.claim(claimed);
            for (const id of claimed) waiting.delete(id);
          }
        }
        for (let turn = 0; waiting.size > 0; turn += 1) {
          if (turn > 200) throw new Error(`${waiting.size} orders never come up`);
          await takeTurns(5);
        }
        expect(await take(5)).toEqual([]);
      }),
      fuzz(40),
    );
  },
  FUZZ_TIMEOUT_MS,
);

test('what is over is passed over in one turn, so that it does not keep back what is behind it', async () => {
  const account = await ledger.account(10_000);
  for (let n = 0; n < 3; n += 1) {
    const over = Array.from({ length: 1_000 }, () => ledger.message());
    await ledger.accept(account, [batchOf(over)]);
    const ids = over.map(({ id }) => id);
    expect(await cancelOrders(ledger.database, account, ids)).toHaveLength(1_000);
  }
  const behind = Array.from({ length: 4 }, () => ledger.message());
  await ledger.accept(account, [batchOf(behind)]);
  expect((await take(3)).map(({ id }) => id)).toEqual(behind.slice(0, 3).map(({ id }) => id));
});

function lengths(max: number): fc.Arbitrary<number[]> {
  return fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: max });
}

function everyOf<Value>(map: ReadonlyMap<string, Value>, nth: number): [string, Value][] {
  return [...map].filter((_, index) => index % nth === 0);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
