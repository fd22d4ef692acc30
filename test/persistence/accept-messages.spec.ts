import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { MICROS_MAX } from '#billing';
import { loadConfig } from '#config';
import { acceptMessages, bookDeposit, rateLimitAhead, resumeAccount, suspendAccount } from '#persistence';
import { batchOf, requestOf, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

/** Messages of the largest batch that an operator can allow. */
const BATCH_MAX = 10_000;
const FINGERPRINT = Buffer.alloc(32, 1);
const OTHER_FINGERPRINT = Buffer.alloc(32, 2);

/** The account's messages by their numbers, as they are stored. */
async function stored(accountId: string): Promise<string[]> {
  const rows = await ledger.database.query<{ id: string; sequence: string }>(
    'select id, sequence from message_order where account_id = $1 order by sequence',
    [accountId],
  );
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  return rows.map(({ id }) => id);
}

describe('each request is judged by the money that those before it left', () => {
  test('one that is too dear is refused alone, and a later one that fits is accepted', async () => {
    const account = await ledger.account(5);
    const [small, large, smaller, last] = [3, 4, 2, 1].map((segments) => ledger.message(segments));
    if (!small || !large || !smaller || !last) throw new Error('unreachable');
    expect(await ledger.accept(account, [small, large, smaller, last])).toEqual([
      { kind: 'accepted' },
      { kind: 'insufficient_balance', balance: 2n * SEGMENT_PRICE },
      { kind: 'accepted' },
      { kind: 'insufficient_balance', balance: 0n },
    ]);
    expect(await stored(account)).toEqual([small.id, smaller.id]);
    expect(await ledger.figures(account)).toMatchObject({ available: 0n, reserved: 5n * SEGMENT_PRICE, messages: 2 });
  });

  test('a batch that costs a micro-unit too much leaves nothing behind', async () => {
    const account = await ledger.account(3);
    const tooDear = ledger.message(1, { price: SEGMENT_PRICE + 1n });
    const batch = batchOf([ledger.message(), ledger.message(), tooDear]);
    expect(await ledger.accept(account, [batch])).toEqual([
      { kind: 'insufficient_balance', balance: 3n * SEGMENT_PRICE },
    ]);
    expect(await stored(account)).toEqual([]);
    expect(await ledger.figures(account)).toMatchObject({ reserved: 0n, messages: 0 });
  });

  test('a batch that takes the last of the money is accepted whole, in its order', async () => {
    const account = await ledger.account(6);
    const messages = [1, 2, 3].map((segments) => ledger.message(segments));
    expect(await ledger.accept(account, [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
    expect(await stored(account)).toEqual(messages.map(({ id }) => id));
    expect(await ledger.figures(account)).toMatchObject({ available: 0n, messages: 3 });
  });

  test('an account spends its credit limit and not a micro-unit more', async () => {
    const account = await ledger.account(1, { creditLimit: SEGMENT_PRICE });
    const verdicts = await ledger.accept(account, [ledger.message(), ledger.message(), ledger.message(1)]);
    expect(verdicts).toEqual([
      { kind: 'accepted' },
      { kind: 'accepted' },
      { kind: 'insufficient_balance', balance: -SEGMENT_PRICE },
    ]);
    expect(await ledger.figures(account)).toMatchObject({ available: -SEGMENT_PRICE });
  });

  test.each([
    ['a balance of the largest amount', MICROS_MAX, MICROS_MAX + 1n],
    ['an account without money', 0n, MICROS_MAX],
    ['an account without money, and more than an amount can be', 0n, 255n * MICROS_MAX],
  ])('a price that no balance can pay is refused, not failed: %s', async (_what, money, price) => {
    const account = await ledger.account(0);
    if (money > 0n) await bookDeposit(ledger.database, account, { amount: money, currency: 'EUR' });
    const dear = { ...batchOf([ledger.message(1, { price })]), guards: { version: 0, spendDayMax: MICROS_MAX } };
    const free = ledger.message(1, { price: 0n });
    expect(await ledger.accept(account, [dear, free])).toEqual([
      { kind: 'insufficient_balance', balance: money },
      { kind: 'accepted' },
    ]);
  });

  test('a message without a price is numbered and stored like any other, and moves no money', async () => {
    const account = await ledger.account(0);
    const free = ledger.message(1, { price: 0n });
    expect(await ledger.accept(account, [free])).toEqual([{ kind: 'accepted' }]);
    expect(await stored(account)).toEqual([free.id]);
    expect(await ledger.figures(account)).toMatchObject({ available: 0n, reserved: 0n });
  });
});

describe('an idempotency key is charged once', () => {
  const keyed = (key: string, fingerprint = FINGERPRINT, segments = 1) =>
    batchOf([ledger.message(segments), ledger.message()], { key, fingerprint });

  test('a repeat replays the first messages; another payload under the key is refused', async () => {
    const account = await ledger.account(10);
    await ledger.queued(account);
    const first = keyed('a');
    expect(await ledger.accept(account, [first])).toEqual([{ kind: 'accepted' }]);
    expect(await ledger.accept(account, [keyed('a'), keyed('a', OTHER_FINGERPRINT)])).toEqual([
      { kind: 'replayed', firstSequence: 2n, orderCount: 2 },
      { kind: 'key_reused' },
    ]);
    expect((await stored(account)).slice(1)).toEqual(first.messages.map(({ id }) => id));
    expect(await ledger.figures(account)).toMatchObject({ reserved: 3n * SEGMENT_PRICE, messages: 3 });
  });

  test('twins that arrive in one commit are charged once', async () => {
    const account = await ledger.account(10);
    expect(await ledger.accept(account, [keyed('t'), keyed('t'), keyed('t', OTHER_FINGERPRINT)])).toEqual([
      { kind: 'accepted' },
      { kind: 'replayed', firstSequence: 1n, orderCount: 2 },
      { kind: 'key_reused' },
    ]);
    expect(await ledger.figures(account)).toMatchObject({ messages: 2 });
  });

  test('the same key of another account is another key', async () => {
    const [one, other] = [await ledger.account(10), await ledger.account(10)];
    expect(await ledger.accept(one, [keyed('k')])).toEqual([{ kind: 'accepted' }]);
    expect(await ledger.accept(other, [keyed('k', OTHER_FINGERPRINT)])).toEqual([{ kind: 'accepted' }]);
  });

  test('a refusal is not stored: the key is free once there is money', async () => {
    const [poor, rich] = [await ledger.account(1), await ledger.account(3)];
    const request = keyed('later');
    expect(await ledger.accept(poor, [request])).toMatchObject([{ kind: 'insufficient_balance' }]);
    expect(await ledger.accept(poor, [requestOf(ledger.message())])).toEqual([{ kind: 'accepted' }]);
    expect(await ledger.accept(rich, [request])).toEqual([{ kind: 'accepted' }]);
  });
});

describe('a commit whose answer was lost is asked again with the same ids', () => {
  test('what it had accepted is accepted, not charged again; what it had refused is judged by the money of now', async () => {
    const account = await ledger.account(3);
    const requests = [ledger.message(2), ledger.message(2), ledger.message()].map(requestOf);
    const verdicts = await ledger.accept(account, requests);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'insufficient_balance', 'accepted']);
    expect(await ledger.accept(account, requests, true)).toEqual([
      { kind: 'accepted' },
      { kind: 'insufficient_balance', balance: 0n },
      { kind: 'accepted' },
    ]);
    expect(await ledger.figures(account)).toMatchObject({ available: 0n, messages: 2 });
  });

  test('what never arrived is accepted now, behind those that did', async () => {
    const account = await ledger.account(9);
    const arrived = batchOf([ledger.message(), ledger.message()], { key: 'arrived', fingerprint: FINGERPRINT });
    const lost = batchOf([ledger.message(), ledger.message()], { key: 'lost', fingerprint: FINGERPRINT });
    expect(await ledger.accept(account, [arrived])).toEqual([{ kind: 'accepted' }]);
    expect(await ledger.accept(account, [lost, arrived], true)).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }]);
    expect(await stored(account)).toEqual([...arrived.messages, ...lost.messages].map(({ id }) => id));
    expect(await ledger.figures(account)).toMatchObject({ reserved: 4n * SEGMENT_PRICE });
  });

  test('the same ids without saying so are refused by the database, and nothing of that call stays', async () => {
    const account = await ledger.account(9);
    const first = await ledger.queued(account);
    await expect(ledger.accept(account, [ledger.message(), first])).rejects.toThrow(/duplicate key/);
    expect(await stored(account)).toEqual([first.id]);
  });

  test('a repeat after the account was suspended still says that it was accepted', async () => {
    const account = await ledger.account(9);
    const message = await ledger.queued(account);
    await suspendAccount(ledger.database, account);
    expect(await ledger.accept(account, [message, ledger.message()], true)).toEqual([
      { kind: 'accepted' },
      { kind: 'suspended' },
    ]);
  });
});

test('a suspended account is charged nothing, and accepts again once it is resumed', async () => {
  const account = await ledger.account(2);
  await suspendAccount(ledger.database, account);
  expect(await ledger.accept(account, [ledger.message()])).toEqual([{ kind: 'suspended' }]);
  expect(await stored(account)).toEqual([]);
  await resumeAccount(ledger.database, account);
  await ledger.queued(account);
});

test('a message on a queue is looked at when its validity ends, if that is sooner than what is not claimed', async () => {
  const accountId = await ledger.account(1);
  const wanted = [{ accountId, request: requestOf(ledger.message()) }];
  await acceptMessages(ledger.database, wanted, { validitySeconds: 60, sweepAfterSeconds: 3_600 });
  const due = 'select due_at = valid_until as "isDueThen" from message_order where account_id = $1';
  expect(await ledger.database.query(due, [accountId])).toEqual([{ isDueThen: true }]);
});

describe('a rate limit is exact', () => {
  test('a burst of one second passes, the next request is told how long to wait', async () => {
    const account = await ledger.account(100, { rateLimitPerSecond: 5 });
    const verdicts = await ledger.accept(
      account,
      Array.from({ length: 7 }, () => ledger.message()),
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual([...Array(5).fill('accepted'), 'rate_limited', 'rate_limited']);
    const limited = verdicts.at(-1);
    if (limited?.kind !== 'rate_limited') throw new Error('unreachable');
    expect(limited.retryAfterMs).toBeGreaterThan(0);
    expect(limited.retryAfterMs).toBeLessThanOrEqual(200);
    await ledger.database.query(
      `update account_balance set rate_limit_until = rate_limit_until - make_interval(secs => $2) where account_id = $1`,
      [account, limited.retryAfterMs / 1_000],
    );
    const kinds = (await ledger.accept(account, [ledger.message(), ledger.message()])).map(({ kind }) => kind);
    expect(kinds[0]).toBe('accepted');
  });

  test('each verdict tells how far its account is ahead of its pace, and none of an account without a limit', async () => {
    const account = await ledger.account(100, { rateLimitPerSecond: 4 });
    const batch = batchOf([ledger.message(), ledger.message()]);
    const verdicts = await ledger.accept(account, [ledger.message(), batch, batch, ledger.message()]);
    expect(verdicts).toMatchObject([
      { kind: 'accepted', aheadMs: 250 },
      { kind: 'accepted', aheadMs: 750 },
      { kind: 'rate_limited', aheadMs: 750, retryAfterMs: 250 },
      { kind: 'accepted', aheadMs: 1_000 },
    ]);
    const [ahead = 0] = await rateLimitAhead(ledger.database, [account]);
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThan(1_000);
    const free = await ledger.account(100);
    expect(await ledger.accept(free, [ledger.message()])).toEqual([{ kind: 'accepted' }]);
    expect(await rateLimitAhead(ledger.database, [free, account])).toEqual([0, expect.any(Number)]);
  });

  test('the pace that the largest batch leaves is kept, and none that only a clock that was ahead can leave', async () => {
    expect(() => loadConfig({ BATCH_MESSAGES_MAX: String(BATCH_MAX + 1) })).toThrow(/BATCH_MESSAGES_MAX/);
    const account = await ledger.account(BATCH_MAX + 1, { rateLimitPerSecond: 1 });
    const batch = batchOf(Array.from({ length: BATCH_MAX }, () => ledger.message()));
    expect(await ledger.accept(account, [batch])).toMatchObject([{ kind: 'accepted' }]);
    const [limited] = await ledger.accept(account, [ledger.message()]);
    if (limited?.kind !== 'rate_limited') throw new Error('unreachable');
    expect(limited.retryAfterMs).toBeGreaterThan((BATCH_MAX - 60) * 1_000);
    await ledger.database.query(
      `update account_balance set rate_limit_until = rate_limit_until + interval '40 days' where account_id = $1`,
      [account],
    );
    expect(await ledger.accept(account, [ledger.message()])).toMatchObject([{ kind: 'accepted', aheadMs: 1_000 }]);
  });

  test('a batch counts as many as it has messages, a replay as none', async () => {
    const account = await ledger.account(100, { rateLimitPerSecond: 3 });
    const batch = batchOf([ledger.message(), ledger.message()], { key: 'b', fingerprint: FINGERPRINT });
    const verdicts = await ledger.accept(account, [batch, batch, batch, ledger.message(), ledger.message()]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['accepted', 'replayed', 'replayed', 'accepted', 'rate_limited']);
  });
});
