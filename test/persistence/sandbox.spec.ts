import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  acceptMessages,
  addApiKey,
  changeAccount,
  closeAccount,
  ledgerTotals,
  listAccounts,
  listHeldOrders,
  listMessages,
  listOperatorChanges,
  readOpenWork,
  releaseHold,
  resolveHeldOrders,
  resumeAccount,
  SANDBOX_CARRIER_ID,
  sandboxOf,
  setHold,
  setSandboxBalance,
  stateCounts,
  suspendAccount,
  verifyLedger,
} from '#persistence';
import { untilLockWaits } from '../support/lock-waits.js';
import { answer, batchOf, TestLedger } from '../support/test-ledger.js';

/** The functions of the published version 0.2.0, as pg_dump wrote them. */
const PUBLISHED = readFileSync(new URL('./published/0.2.0.sql', import.meta.url), 'utf8');

describe('whatever routes say and whoever asks', () => {
  let ledger: TestLedger;
  let accountId: string;
  let sandboxId: string;
  beforeAll(async () => {
    ledger = await TestLedger.create();
    accountId = await ledger.account(1_000);
    await addApiKey(ledger.database, accountId, { isTest: true });
    sandboxId = sandboxOf(accountId);
  });
  afterAll(async () => {
    await ledger.expectClean();
    await ledger.close();
  });

  const carriersOf = async (ids: readonly string[]) =>
    ledger.database.query(
      `select distinct coalesce(s.carrier_id, o.carrier_id) as carrier
         from message_order o left join segment s on s.message_id = o.id where o.id = any($1::uuid[])`,
      [ids],
    );

  test('a real carrier claims real messages only, and the sandbox test messages only', async () => {
    const test = await ledger.queued(sandboxId);
    const real = await ledger.queued(accountId);
    const ids = [test.id, real.id];
    expect((await ledger.claim(ids)).map(({ id }) => id)).toEqual([real.id]);
    expect((await ledger.claim(ids, { carrierId: SANDBOX_CARRIER_ID })).map(({ id }) => id)).toEqual([test.id]);
    expect(await carriersOf([test.id])).toEqual([{ carrier: SANDBOX_CARRIER_ID }]);
    expect(await carriersOf([real.id])).toEqual([{ carrier: ledger.carrierId }]);
  });

  test('so it is for messages that were claimed before', async () => {
    const test = await ledger.queued(sandboxId, 2);
    const real = await ledger.queued(accountId, 2);
    const ids = [test.id, real.id];
    const begun = [
      await ledger.claimed(real.id),
      ...(await ledger.claim([test.id], { carrierId: SANDBOX_CARRIER_ID })),
    ];
    expect(begun.map(({ id }) => id)).toEqual([real.id, test.id]);
    await ledger.record(begun.map((order) => answer(order, 1, 'pending')));
    const other = await ledger.carrier();
    expect((await ledger.claim(ids, { carrierId: other })).map(({ id }) => id)).toEqual([real.id]);
    expect((await ledger.claim(ids, { carrierId: SANDBOX_CARRIER_ID })).map(({ id }) => id)).toEqual([test.id]);
  });

  test('the claim of version 0.2.0 cannot give a test message to a carrier either', async () => {
    const { id } = await ledger.queued(sandboxId);
    const [published = ''] = /CREATE FUNCTION public\.claim_orders\([^$]*\$\$[^$]*\$\$;/.exec(PUBLISHED) ?? [];
    const claim = ledger.database.transaction(async (transaction) => {
      await transaction.query(published.replace('CREATE FUNCTION', 'create or replace function'));
      await transaction.query("select * from claim_orders($1::uuid[], 'old', $2, interval '1 minute', false, null)", [
        [id],
        ledger.carrierId,
      ]);
    });
    await expect(claim).rejects.toThrow('message_order_sandbox_check');
    expect((await ledger.claim([id], { carrierId: SANDBOX_CARRIER_ID })).map((order) => order.id)).toEqual([id]);
  });

  test('sandboxes and accounts share a commit', async () => {
    const owners = [await ledger.account(5), await ledger.account(5), await ledger.account(5)];
    for (const owner of owners) await addApiKey(ledger.database, owner, { isTest: true });
    const accounts = [...owners, ...owners.map(sandboxOf)];
    const wanted = accounts.map((id) => ({ accountId: id, request: batchOf([ledger.message()]) }));
    const settings = { validitySeconds: 3_600, sweepAfterSeconds: 10 };
    for (const order of [wanted, wanted.toReversed()]) {
      const requests = order.map(({ accountId: id }) => ({ accountId: id, request: batchOf([ledger.message()]) }));
      expect(await acceptMessages(ledger.database, requests, settings)).toEqual(
        accounts.map(() => ({ kind: 'accepted' })),
      );
    }
  });

  test('sums, counts and lists over all accounts are without sandboxes', async () => {
    const { database } = ledger;
    const sums = async () => ({
      totals: await ledgerTotals(database),
      states: await stateCounts(database),
      accounts: (await listAccounts(database)).length,
      messages: (await listMessages(database, {}, 1_000)).length,
      queued: (await readOpenWork(database)).queued,
    });
    const before = await sums();
    const tests = await listMessages(database, { accountId, isTest: true }, 1_000);
    const { sandboxes, ...verified } = await verifyLedger(database);
    await setSandboxBalance(database, sandboxId, 500_000_000n);
    await ledger.queued(sandboxId);
    expect(await sums()).toEqual(before);
    expect(await listMessages(database, { accountId, isTest: true }, 1_000)).toHaveLength(tests.length + 1);
    const again = await verifyLedger(database);
    expect(again.sandboxes).toBe(sandboxes);
    expect([again.accounts, again.messages, again.journalEntries]).toEqual([
      verified.accounts,
      verified.messages,
      verified.journalEntries,
    ]);
  });

  test('a sandbox follows its account', async () => {
    const { database } = ledger;
    const owner = await ledger.account(1, { rateLimitPerSecond: 7 });
    await addApiKey(database, owner, { isTest: true });
    const settings = async () =>
      (
        await database.query(
          `select name, currency, tariff_id, status, rate_limit_per_second, sender, max_in_flight
             from account where account_id in ($1, -$1::bigint) order by account_id`,
          [owner],
        )
      ).map((row) => JSON.stringify(row));
    const areEqual = async () => {
      const [sandbox, account] = await settings();
      expect(sandbox).toBe(account);
    };
    await areEqual();
    await changeAccount(database, owner, { name: 'Renamed', sender: 'Acme', maxInFlight: 9, rateLimitPerSecond: null });
    await areEqual();
    await suspendAccount(database, owner);
    await areEqual();
    expect(await settings()).toEqual(Array(2).fill(expect.stringContaining('suspended')));
    await resumeAccount(database, owner);
    await areEqual();
    await closeAccount(database, owner);
    await areEqual();
    await expect(ledger.accept(sandboxOf(owner), [ledger.message()])).resolves.toEqual([{ kind: 'closed' }]);
  });

  test('a sandbox follows its account that is changed at the moment in which the sandbox is opened', async () => {
    const { database } = ledger;
    const owner = await ledger.account(1);
    const suspensions: Promise<unknown>[] = [];
    const transaction: typeof database.transaction = (work) =>
      database.transaction(async (inner) => {
        const result = await work(inner);
        suspensions.push(suspendAccount(database, owner));
        await untilLockWaits(database, 1);
        return result;
      });
    await addApiKey(Object.assign(Object.create(database), { transaction }), owner, { isTest: true });
    await Promise.all(suspensions);
    expect(await database.query('select status from account where account_id in ($1, -$1::bigint)', [owner])).toEqual(
      Array(2).fill({ status: 'suspended' }),
    );
  });

  test('queued test messages are held, released and refunded with those of the account, and end when it is closed', async () => {
    const { database } = ledger;
    const owner = await ledger.account(3);
    await addApiKey(database, owner, { isTest: true });
    const sandbox = sandboxOf(owner);
    await ledger.queued(owner);
    const tests = [await ledger.queued(sandbox), await ledger.queued(sandbox)];
    const claimTests = () =>
      ledger.claim(
        tests.map(({ id }) => id),
        { carrierId: SANDBOX_CARRIER_ID },
      );
    const statesOf = async (accountId: string) =>
      (
        await database.query<{ state: string }>('select state from message_order where account_id = $1', [accountId])
      ).map(({ state }) => state);
    expect(await suspendAccount(database, owner, 'hold')).toMatchObject({ queued: 1, isHolding: true });
    expect(await claimTests()).toEqual([]);
    expect(await resumeAccount(database, owner)).toMatchObject({ released: 1 });
    expect(await claimTests()).toHaveLength(2);
    await ledger.queued(sandbox);
    expect(await suspendAccount(database, owner, 'refund')).toMatchObject({ queued: 0, refunded: 1 });
    expect((await statesOf(sandbox)).toSorted()).toEqual(['failed', 'sending', 'sending']);
    expect(await statesOf(owner)).toEqual(['failed']);
    await resumeAccount(database, owner);
    await ledger.queued(sandbox);
    await closeAccount(database, owner);
    expect((await statesOf(sandbox)).toSorted()).toEqual(['failed', 'failed', 'sending', 'sending']);
  });

  test('test messages are held after a restore, shown and decided about with those of the account', async () => {
    const { database } = ledger;
    const owner = await ledger.account(1);
    await addApiKey(database, owner, { isTest: true });
    for (const accountId of [owner, sandboxOf(owner)]) await ledger.queued(accountId);
    await setHold(database, 'spec');
    const held = () => listHeldOrders(database).then((all) => all.filter(({ accountId }) => accountId === owner));
    expect(await held()).toMatchObject([{ state: 'queued', orders: 2 }]);
    expect((await listHeldOrders(database)).filter(({ accountId }) => accountId.startsWith('-'))).toEqual([]);
    expect(await resolveHeldOrders(database, 'refund', { accountId: owner })).toBe(2);
    expect(await held()).toEqual([]);
    await releaseHold(database);
  });

  test('the audit log has the test key, and nothing of the sandbox behind it', async () => {
    const { database } = ledger;
    const owner = await ledger.account(0);
    const { keyId } = await addApiKey(database, owner, { isTest: true });
    await setSandboxBalance(database, sandboxOf(owner), 1n);
    const changes = await listOperatorChanges(database, { accountId: owner }, 100);
    expect(changes.filter(({ subject }) => subject === 'api_key').map(({ subjectId }) => subjectId)).toContain(keyId);
    const others = await database.query("select from operator_change where account_id < 0 or subject_id like '-%'");
    expect(others).toEqual([]);
  });

  test('test messages wait where only the sandbox is served, wherever they are put', async () => {
    const { database } = ledger;
    const message = await ledger.queued(sandboxId);
    const scopes = () =>
      database.query('select distinct carrier_id from dispatch_backlog where account_id = $1', [sandboxId]);
    for (const carrierId of [0, ledger.carrierId]) {
      await database.query('delete from dispatch_backlog where account_id = $1', [sandboxId]);
      await database.query('select put_in_backlog($1::uuid[], $2, 0::smallint)', [[message.id], carrierId]);
      expect(await scopes()).toEqual([{ carrier_id: SANDBOX_CARRIER_ID }]);
      const turns = await database.query('select carrier_id from dispatch_turn where account_id = $1', [sandboxId]);
      expect(turns).toEqual([{ carrier_id: SANDBOX_CARRIER_ID }]);
    }
  });
});
