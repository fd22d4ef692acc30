import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { AcceptRequest, AcceptVerdict } from '#persistence';
import { batchOf, requestOf, SEGMENT_PRICE, type TestLedger } from '../support/test-ledger.js';
import { countOf, TwoGateways, times } from './two-gateways.js';

let two: TwoGateways;
let ledger: TestLedger;
beforeAll(async () => {
  two = await TwoGateways.start();
  ledger = two.ledger;
});
afterEach(() => ledger.expectClean());
afterAll(() => two.close());

describe('two gateways and one account', () => {
  test('money for exactly 200 messages and 2,000 sends: 200 are accepted and the balance is exactly 0', async () => {
    const account = await ledger.account(200);
    const verdicts = await Promise.all(
      times(10, async (sender) => {
        const mine: AcceptVerdict[] = [];
        for (let round = 0; round < 20; round += 1) {
          const sends = times(10, () => two.send(sender, account, requestOf(ledger.message())));
          mine.push(...(await Promise.all(sends)));
        }
        return mine;
      }),
    ).then((all) => all.flat());
    expect(countOf(verdicts, 'accepted')).toBe(200);
    expect(countOf(verdicts, 'insufficient_balance')).toBe(1_800);
    expect(await ledger.figures(account)).toMatchObject({ available: 0n, messages: 200 });
  });

  test('batches and single sends compete for the money, and none is accepted by half', async () => {
    const account = await ledger.account(50);
    const requests = times(60, (index) =>
      index % 3 === 0 ? batchOf(times(7, () => ledger.message())) : requestOf(ledger.message(2)),
    );
    const verdicts = await Promise.all(requests.map((request, index) => two.send(index, account, request)));
    const { available, messages } = await ledger.figures(account);
    const accepted = requests.filter((_, index) => verdicts[index]?.kind === 'accepted');
    expect(messages).toBe(accepted.reduce((sum, request) => sum + request.messages.length, 0));
    expect(available).toBe(50n * SEGMENT_PRICE - accepted.reduce((sum, { total }) => sum + total, 0n));
    expect(available).toBeLessThan(2n * SEGMENT_PRICE);
  });

  test('100 parallel twins under one key are one charge and one answer', async () => {
    const account = await ledger.account(1_000);
    const twin = () =>
      batchOf([ledger.message(), ledger.message(3)], { key: 'twin', fingerprint: Buffer.alloc(32, 9) });
    const verdicts = await Promise.all(times(100, (index) => two.send(index, account, twin())));
    expect(countOf(verdicts, 'accepted')).toBe(1);
    expect(verdicts.filter(({ kind }) => kind === 'replayed')).toEqual(
      Array(99).fill({ kind: 'replayed', firstSequence: 1n, orderCount: 2 }),
    );
    expect(await ledger.figures(account)).toMatchObject({ reserved: 4n * SEGMENT_PRICE, messages: 2 });
  });

  test('a rate limit holds over both together', async () => {
    const account = await ledger.account(1_000, { rateLimitPerSecond: 50 });
    const startMs = performance.now();
    const verdicts = await Promise.all(times(400, (index) => two.send(index, account, requestOf(ledger.message()))));
    const seconds = (performance.now() - startMs) / 1_000;
    expect(countOf(verdicts, 'accepted')).toBeGreaterThanOrEqual(50);
    expect(countOf(verdicts, 'accepted')).toBeLessThanOrEqual(Math.ceil(50 + 50 * seconds));
    expect(countOf(verdicts, 'accepted') + countOf(verdicts, 'rate_limited')).toBe(400);
  });
});

describe('two gateways and many accounts', () => {
  test('commits of both over the same accounts never stop each other for good: no deadlock, nothing lost', async () => {
    const accounts = await Promise.all(times(20, () => ledger.account(1_000)));
    const deadlocks = async () => {
      const [row] = await ledger.database.query<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      return row?.deadlocks;
    };
    const before = await deadlocks();
    const sent = new Map(accounts.map((account) => [account, 0]));
    const verdicts = await Promise.all(
      times(40, async (sender) => {
        const mine: AcceptVerdict[] = [];
        for (let round = 0; round < 15; round += 1) {
          // Each sender walks over the accounts in an order of its own.
          const account = accounts[(sender * 7 + round * (1 + (sender % 3))) % accounts.length] ?? '';
          const messages = times(1 + ((sender + round) % 3), () => ledger.message());
          sent.set(account, (sent.get(account) ?? 0) + messages.length);
          mine.push(await two.send(sender, account, batchOf(messages)));
        }
        return mine;
      }),
    ).then((all) => all.flat());
    expect(countOf(verdicts, 'accepted')).toBe(600);
    for (const account of accounts)
      expect(await ledger.figures(account)).toMatchObject({ messages: sent.get(account) });
    expect(await deadlocks()).toBe(before);
  });

  test('an account whose row is held delays those of its commit by a moment, nobody after that, and is answered', async () => {
    const held = await ledger.account(20);
    const others = await Promise.all(times(10, () => ledger.account(5)));
    const waiting: Promise<AcceptVerdict>[] = [];
    const slowest = await ledger.database.transaction(async (transaction) => {
      await transaction.query('select from account_balance where account_id = $1 for update', [held]);
      let slowestMs = 0;
      for (let round = 0; round < 5; round += 1) {
        waiting.push(...times(2, () => two.send(0, held, requestOf(ledger.message()))));
        const startedMs = performance.now();
        const verdicts = await Promise.all(others.map((other) => two.send(0, other, requestOf(ledger.message()))));
        expect(countOf(verdicts, 'accepted')).toBe(10);
        if (round > 0) slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      }
      return slowestMs;
    });
    // The lock timeout is 150 ms; only the first round may have met it. A busy machine is slower than that by itself.
    expect(slowest).toBeLessThan(4_000);
    expect(countOf(await Promise.all(waiting), 'accepted')).toBe(10);
    expect(await ledger.figures(held)).toMatchObject({ messages: 10 });
  });

  test('while ten accounts are held, each of the others is answered, and so are the ten once they are free', async () => {
    const held = await Promise.all(times(10, () => ledger.account(5)));
    const free = await Promise.all(times(10, () => ledger.account(5)));
    const waiting = await ledger.database.transaction(async (transaction) => {
      await transaction.query('select from account_balance where account_id = any($1::bigint[]) for update', [held]);
      const theirs = held.map((account) => two.send(0, account, requestOf(ledger.message())));
      for (let round = 0; round < 3; round += 1) {
        const verdicts = await Promise.all(free.map((account) => two.send(0, account, requestOf(ledger.message()))));
        expect(countOf(verdicts, 'accepted')).toBe(10);
      }
      return theirs;
    });
    expect(countOf(await Promise.all(waiting), 'accepted')).toBe(10);
  });

  test('what a commit has accepted is handed over once, request by request, and nothing else', async () => {
    const handed: (readonly AcceptRequest[])[] = [];
    const lanes = await two.open({}, (requests) => handed.push(requests));
    const [rich, poor] = [await ledger.account(9), await ledger.account(0)];
    const batch = batchOf([ledger.message(), ledger.message()]);
    const single = requestOf(ledger.message());
    await Promise.all([
      lanes.accept(rich, batch),
      lanes.accept(poor, requestOf(ledger.message())),
      lanes.accept(rich, single),
    ]);
    expect(handed).toEqual([[batch, single]]);
  });
});

test('a request that the database cannot store fails alone; those of any account in the same commit are accepted', async () => {
  const accounts = await Promise.all(times(4, () => ledger.account(100)));
  const poison = ledger.message(1, { message: 'a text with \0 in it' });
  const requests = [...times(9, () => ledger.message()), poison, ...times(9, () => ledger.message())].map(requestOf);
  const results = await Promise.allSettled(
    requests.map((request, index) => two.send(0, accounts[index % accounts.length] ?? '', request)),
  );
  expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([9]);
  const figures = await Promise.all(accounts.map((account) => ledger.figures(account)));
  expect(figures.map(({ messages }) => messages)).toEqual([5, 4, 5, 4]);
});
