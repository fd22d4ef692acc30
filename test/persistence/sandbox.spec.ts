import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addApiKey, SANDBOX_CARRIER_ID, sandboxOf } from '#persistence';
import { answer, TestLedger } from '../support/test-ledger.js';

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
