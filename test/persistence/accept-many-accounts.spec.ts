import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AcceptRequest, type AcceptVerdict, acceptMessages, resumeAccount, suspendAccount } from '#persistence';
import { type Queryable } from '../../libs/persistence/database/database.js';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { batchOf, requestOf, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';
import { AccountModel } from './account-model.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

const SETTINGS = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
const accept = (wanted: readonly { accountId: string; request: AcceptRequest }[], again = false) =>
  acceptMessages(ledger.database, wanted, SETTINGS, again);

describe('requests of many accounts in one commit', () => {
  const anAccount = fc.record({
    segments: fc.integer({ min: 0, max: 9 }),
    creditLimit: fc.integer({ min: 0, max: 2 }),
    perSecond: fc.constantFrom(undefined, undefined, 1, 3),
  });
  const aRequest = fc.record({
    account: fc.nat(9),
    /** Segments of each of its messages. */
    lengths: fc.oneof(
      fc.constant<number[]>([1]),
      fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 4 }),
    ),
    key: fc.constantFrom(undefined, undefined, 'a', 'b'),
    payload: fc.constantFrom(1, 1, 2),
  });
  const aStep = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('call' as const),
        requests: fc.array(aRequest, { minLength: 1, maxLength: 14 }),
      }),
    },
    // The answer of an earlier call was lost, some of its requests never arrived, and others came meanwhile.
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('again' as const),
        call: fc.nat(9),
        more: fc.array(aRequest, { maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('suspend' as const), account: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const), account: fc.nat(9) }) },
  );

  /** A second and more passes: no limit remembers what was sent before. */
  async function pause(accounts: readonly AccountModel[]): Promise<void> {
    const ids = accounts.map(({ accountId }) => accountId);
    await ledger.database.query(
      `update account_balance set rate_limit_until = '-infinity' where account_id = any($1::bigint[])`,
      [ids],
    );
    for (const account of accounts) account.pause();
  }

  test(
    'are judged, charged, numbered and stored as the documentation says for each account by itself',
    async () => {
      const seen = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          fc.array(anAccount, { minLength: 1, maxLength: 5 }),
          fc.array(aStep, { minLength: 1, maxLength: 6 }),
          async (wanted, steps) => {
            const accounts: AccountModel[] = [];
            for (const { segments, creditLimit, perSecond } of wanted) {
              const limit = SEGMENT_PRICE * BigInt(creditLimit);
              const limits = { creditLimit: limit, ...(perSecond && { rateLimitPerSecond: perSecond }) };
              const accountId = await ledger.account(segments, limits);
              accounts.push(new AccountModel(accountId, SEGMENT_PRICE * BigInt(segments), limit, perSecond));
            }
            const accountOf = (index: number) => accounts[index % accounts.length] as AccountModel;
            const toCall = (requests: readonly (typeof aRequest extends fc.Arbitrary<infer R> ? R : never)[]) =>
              requests.map(({ account, lengths, key, payload }) => ({
                model: accountOf(account),
                request: batchOf(
                  lengths.map((length) => ledger.message(length)),
                  key === undefined ? undefined : { key, fingerprint: Buffer.alloc(32, payload) },
                ),
              }));
            const calls: ReturnType<typeof toCall>[] = [];
            for (const step of steps) {
              if (step.do === 'suspend' || step.do === 'resume') {
                const { accountId } = accountOf(step.account);
                accountOf(step.account).isSuspended = step.do === 'suspend';
                await (step.do === 'suspend' ? suspendAccount : resumeAccount)(ledger.database, accountId);
                continue;
              }
              const again = step.do === 'again';
              const call = again
                ? [...(calls[step.call % Math.max(1, calls.length)] ?? []), ...toCall(step.more)]
                : toCall(step.requests);
              if (call.length === 0) continue;
              calls.push(call);
              await pause(accounts);
              const verdicts = await accept(
                call.map(({ model, request }) => ({ accountId: model.accountId, request })),
                again,
              );
              const expected = call.map(({ model, request }) => model.accept(request, again));
              for (const account of accounts) account.commit();
              expect(verdicts.map(withoutWait)).toEqual(expected);
              for (const { kind } of expected) seen.add(kind);
              for (const account of accounts) expect(await storedOf(account.accountId)).toEqual(account.stored());
            }
          },
        ),
        fuzz(50),
      );
      await ledger.expectClean();
      expect([...seen].sort()).toEqual([
        'accepted',
        'insufficient_balance',
        'key_reused',
        'rate_limited',
        'replayed',
        'suspended',
      ]);
    },
    FUZZ_TIMEOUT_MS,
  );

  test('an account that does not exist fails the call, and nothing of the others is accepted', async () => {
    const account = await ledger.account(5);
    const unknown = [account, '999999999'].map((accountId) => ({ accountId, request: requestOf(ledger.message()) }));
    await expect(accept(unknown)).rejects.toThrow('of an account that does not exist');
    expect(await ledger.figures(account)).toMatchObject({ messages: 0, reserved: 0n });
  });

  test('ids of different lengths are in the order of their numbers: 99999 comes before 100000', async () => {
    await ledger.database.query('alter table account alter column account_id restart with 99999');
    const accounts = [await ledger.account(1), await ledger.account(1)];
    expect(accounts).toEqual(['99999', '100000']);
    for (const order of [accounts, [...accounts].reverse()]) {
      const requests = order.map((accountId) => ({ accountId, request: requestOf(ledger.message()) }));
      const verdicts = await accept(requests);
      expect(verdicts).toHaveLength(2);
    }
    for (const account of accounts) expect(await ledger.figures(account)).toMatchObject({ available: 0n, messages: 1 });
  });
});

describe('an account whose balance another transaction holds', () => {
  /** Calls while another transaction holds the balance of an account. */
  const whileHeld = <T>(accountId: string, work: () => Promise<T>) =>
    ledger.database.transaction(async (holder: Queryable) => {
      await holder.query('select from account_balance where account_id = $1 for update', [accountId]);
      return work();
    });

  test('fails the call within its lock timeout, and nothing of any account is accepted', async () => {
    const [held, free] = [await ledger.account(5), await ledger.account(5)];
    const requests = [held, free].map((accountId) => ({ accountId, request: requestOf(ledger.message()) }));
    await whileHeld(held, () => expect(accept(requests)).rejects.toThrow('lock timeout'));
    for (const account of [held, free]) expect(await ledger.figures(account)).toMatchObject({ messages: 0 });
  });

  test('is passed over where that is asked for, and the others are accepted', async () => {
    const accounts = [await ledger.account(5), await ledger.account(5), await ledger.account(5)];
    const held = accounts[1] ?? '';
    const requests = [...accounts, ...accounts].map((accountId) => ({
      accountId,
      request: batchOf([ledger.message(), ledger.message()]),
    }));
    const verdicts = await whileHeld(held, () => acceptMessages(ledger.database, requests, SETTINGS, false, true));
    const [yes, no] = [{ kind: 'accepted' }, { kind: 'held' }];
    expect(verdicts).toEqual([yes, no, yes, yes, no, yes]);
    const messages = await Promise.all(accounts.map(async (account) => (await ledger.figures(account)).messages));
    expect(messages).toEqual([4, 0, 4]);
    expect(await acceptMessages(ledger.database, requests, SETTINGS, true, true)).toEqual(Array(6).fill(yes));
    expect(await ledger.figures(held)).toMatchObject({ messages: 4 });
    await ledger.expectClean();
  });
});

test('a gateway of version 0.2, which asks for one account, is answered for each of its requests', async () => {
  const account = await ledger.account(3);
  const [first, dear, batch] = [ledger.message(), ledger.message(9), [ledger.message(), ledger.message()]];
  const requests = [[first], [dear], batch];
  const messages = requests.flat();
  const call = () =>
    ledger.database.query(
      `select * from accept_messages($1, $2, make_interval(secs => 60), make_interval(secs => 60),
         $3::bigint[], $4::integer[], $5::text[], $6::bytea[], $7::integer[], $8::uuid[], $9::text[], $10::text[],
         $11::text[], $12::boolean[], $13::smallint[], $14::bigint[])`,
      [
        account,
        false,
        requests.map((request) => batchOf(request).total),
        requests.map((request) => request.length),
        [null, null, 'k'],
        [null, null, Buffer.alloc(32)],
        [1, 2, 3, 3],
        messages.map(({ id }) => id),
        messages.map(({ recipient }) => recipient),
        messages.map(({ destination }) => destination),
        messages.map(({ message }) => message),
        messages.map(({ encoding }) => encoding === 'extended'),
        messages.map(({ segments }) => segments),
        messages.map(({ price }) => price),
      ],
    );
  expect(await call()).toMatchObject([
    { verdict: 'accepted', order_count: 1 },
    { verdict: 'insufficient_balance', available: String(2n * SEGMENT_PRICE), order_count: 1 },
    { verdict: 'accepted', order_count: 2 },
  ]);
  expect(await ledger.figures(account)).toMatchObject({ available: 0n, messages: 3 });
});

/** What is told of a limit depends on the clock. */
function withoutWait(verdict: AcceptVerdict): object {
  if (verdict.kind !== 'rate_limited' && verdict.kind !== 'accepted') return verdict;
  if (verdict.aheadMs !== undefined) expect(verdict.aheadMs).toBeGreaterThan(0);
  if (verdict.kind === 'rate_limited') expect(verdict.retryAfterMs).toBeGreaterThan(0);
  return { kind: verdict.kind };
}

/** Everything that accepting writes for an account. */
async function storedOf(accountId: string): Promise<unknown> {
  const [row] = await ledger.database.query<{ stored: unknown }>(
    `select json_build_object(
       'reserved', b.reserved::text, 'lastSequence', b.last_sequence, 'lastEntry', b.last_entry,
       'orders', (select coalesce(json_agg(json_build_array(o.id, o.sequence, o.price::text) order by o.sequence), '[]')
                    from message_order o where o.account_id = b.account_id),
       'keys', (select coalesce(json_agg(json_build_array(k.key, k.first_sequence, k.order_count) order by k.key), '[]')
                  from idempotency_key k where k.account_id = b.account_id),
       'backlog', (select coalesce(json_agg(json_build_array(d.first_sequence, d.last_sequence) order by d.first_sequence), '[]')
                     from dispatch_backlog d where d.account_id = b.account_id),
       'wantsTurns', exists (select from dispatch_turn t where t.account_id = b.account_id and t.carrier_id = 0),
       'entries', (select coalesce(json_agg(json_build_array(j.entry, j.amount::text, j.available_after::text,
                                                            j.first_sequence, j.last_sequence, j.order_count) order by j.entry), '[]')
                     from journal_entry j where j.account_id = b.account_id and j.kind = 'reserve')) as stored
       from account_balance b where b.account_id = $1`,
    [accountId],
  );
  return row?.stored;
}
