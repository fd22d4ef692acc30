import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  ALL_ACCOUNTS,
  addApiKey,
  cancelOrders,
  changeAccount,
  clearGuards,
  NOT_ROUTED,
  purgeExpired,
  putInBacklog,
  readAccountRetention,
  reconcileOrders,
  redactMessage,
  redactNumber,
  redactWanted,
  releaseDeadWorkers,
  rematchReceipts,
  setAccountRetention,
  setGuards,
  takeFromBacklog,
} from '#persistence';
import { untilLockWaits } from '../support/lock-waits.js';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';
import { submitting } from './submitted-orders.js';

let ledger: TestLedger;
/** Another transaction, in the middle of its work. */
let other: pg.Client;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
beforeEach(async () => {
  other = await begun();
});
afterEach(async () => {
  await other.end();
  await ledger.expectClean();
});
afterAll(() => ledger.close());

describe('an unmatched receipt that another transaction has', () => {
  test('keeps none waiting that is alike', async () => {
    const { order } = await submitting(ledger, 2);
    const early = receiptFor(order, 1, 'delivered');
    await ledger.settle([early]);
    await other.query('delete from parked_receipt where destination = $1', [order.destination]);
    // What rematch_receipts has deleted waits for orders next, so a wait for it with a lock on an order is a deadlock.
    expect(await ledger.settle([early])).toEqual({ matched: 0, unmatched: 1 });
    await other.query('rollback');
  });

  test('does not keep the answer waiting that names its message', async () => {
    const { order } = await submitting(ledger);
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    await other.query('select from parked_receipt where destination = $1 for update', [order.destination]);
    await ledger.record([answer(order, 1, 'accepted')]);
    expect(await ledger.state(order.id)).toBe('sent');
    await other.query('rollback');
    await rematchReceipts(ledger.database, 300, 30, 0);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('keeps its number from being redacted, but no order of the number from the receipt', async () => {
    const { account, order } = await submitting(ledger);
    await ledger.record([answer(order, 1, 'refused')]);
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    await ledger.database.query("update parked_receipt set received_at = received_at - interval '2 hours'");
    await other.query('select from parked_receipt where destination = $1 for update', [order.destination]);
    const redacted = redactNumber(ledger.database, account, order.destination, 'client');
    await untilLockWaits(ledger.database, 1);
    // What settle_receipts does next: this would be a deadlock.
    await other.query('select from message_order where id = $1 for update nowait', [order.id]);
    await other.query('rollback');
    expect(await redacted).toMatchObject({ sent: 1, isOver: true });
    expect(
      await ledger.database.query('select from parked_receipt where destination = $1', [order.destination]),
    ).toEqual([]);
  });
});

test('receipts of one id for all segments that come to two workers at once settle two segments', async () => {
  const { order } = await submitting(ledger, 2);
  const id = `one-${order.id}`;
  await ledger.record(order.openPositions.map((position) => answer(order, position, 'accepted', { answer: id })));
  await other.query('select from message_order where id = $1 for update', [order.id]);
  const receipt = receiptFor(order, 1, 'delivered', { carrierMessageId: id });
  const settled = [ledger.settle([receipt]), ledger.settle([receipt])];
  await untilLockWaits(ledger.database, 2);
  await other.query('rollback');
  await Promise.all(settled);
  await rematchReceipts(ledger.database, 300, 30, 0);
  expect(await ledger.state(order.id)).toBe('delivered');
});

describe('a place in the cap of an account that another transaction has', () => {
  test('keeps neither what comes back to the backlog waiting, nor the feeder', async () => {
    const account = await ledger.account(1_000);
    const messages = Array.from({ length: 4 }, () => ledger.message());
    await ledger.accept(account, [batchOf(messages)]);
    await changeAccount(ledger.database, account, { maxInFlight: 2 });
    const taken = await take();
    expect(taken).toHaveLength(2);
    // What neither queued nor sending has, is over.
    await ledger.database.query('insert into capped_order (account_id, message_id) values ($1, gen_random_uuid())', [
      account,
    ]);
    await other.query('delete from capped_order where account_id = $1', [account]);
    await putInBacklog(ledger.database, [taken[0]?.id ?? ''], NOT_ROUTED, 'bulk');
    // Its place was not seen as free, so the cap holds.
    expect(await take()).toEqual([]);
    await other.query('commit');
    expect(await take()).toHaveLength(2);
  });
});

test('guards for all accounts wait for a change of an account before they have its sandbox', async () => {
  const account = await ledger.account(1);
  await addApiKey(ledger.database, account, { isTest: true });
  // So the table has the account behind its sandbox.
  await ledger.database.query('update account set has_suppressions = has_suppressions where account_id = $1', [
    account,
  ]);
  await other.query('select from account where account_id = $1 for no key update', [account]);
  const set = setGuards(ledger.database, ALL_ACCOUNTS, { rangeHourMax: 200 });
  await untilLockWaits(ledger.database, 1);
  // What the change does next: this would be a deadlock.
  await other.query('select from account where account_id = -$1::bigint for no key update nowait', [account]);
  await other.query('rollback');
  expect(await set).toMatchObject({ forAll: { rangeHourMax: 200 } });
});

test('guards for all accounts go on beside others who wait for an account that has just been changed', async () => {
  const { database } = ledger;
  const account = await ledger.account(1);
  // As whoever accepts a message: while this lasts, the version of the row before the change does not count as over.
  const accepting = await begun();
  await accepting.query('select from account where account_id = $1 for key share', [account]);
  await other.query('update account set has_suppressions = has_suppressions where account_id = $1', [account]);
  const set = setGuards(database, ALL_ACCOUNTS, { rangeHourMax: 200 });
  await untilLockWaits(ledger.database, 1);
  const keys = [1, 2].map(() => addApiKey(database, account));
  await untilLockWaits(ledger.database, 3);
  await other.query('commit');
  expect(await Promise.allSettled([set, ...keys])).toMatchObject(Array(3).fill({ status: 'fulfilled' }));
  await accepting.end();
});

test('guards for all accounts are set beside another operator who takes the last ones away', async () => {
  await setGuards(ledger.database, ALL_ACCOUNTS, { recipientHourMax: 5 });
  await other.query("select pg_advisory_xact_lock(hashtext('heliograph.guards'))");
  await other.query('select from guard where account_id = 0 for update');
  const set = setGuards(ledger.database, ALL_ACCOUNTS, { rangeHourMax: 200 });
  await untilLockWaits(ledger.database, 1);
  await other.query('delete from guard where account_id = 0');
  await other.query('commit');
  expect(await set).toMatchObject({ forAll: { rangeHourMax: 200 } });
  await clearGuards(ledger.database, ALL_ACCOUNTS);
});

test('two operators who set what is kept of an account at the same time both have it', async () => {
  const account = await ledger.account(1);
  await setAccountRetention(ledger.database, account, { textDays: 1 });
  await other.query('select from account_retention where account_id = $1 for update', [account]);
  const wanted = [{ textDays: 5 }, { numberDays: 30 }].map((days) =>
    setAccountRetention(ledger.database, account, days),
  );
  await untilLockWaits(ledger.database, 2);
  await other.query('rollback');
  await Promise.all(wanted);
  expect(await readAccountRetention(ledger.database, account)).toMatchObject({ textDays: 5, numberDays: 30 });
});

test('an order of a dead worker that another transaction has keeps none from taking over the others', async () => {
  const [first, second] = [(await submitting(ledger)).order, (await submitting(ledger)).order];
  // What is due first is not what has the lowest id.
  await ledger.database.query("update message_order set due_at = now() + interval '1 second' where id = $1", [
    second.id,
  ]);
  await ledger.database.query(
    `insert into process_heartbeat (process_id, role, seen_at)
     values ('worker-1', 'worker', now() - interval '20 seconds')`,
  );
  await other.query('select from message_order where id = $1 for update', [first.id]);
  expect(await releaseDeadWorkers(ledger.database, 60)).toBeGreaterThan(0);
  // What settle_receipts does next: this would be a deadlock.
  await other.query('select from message_order where id = $1 for update nowait', [second.id]);
  const due = await ledger.database.query('select id from message_order where due_at <= now() and id = any($1)', [
    [first.id, second.id],
  ]);
  expect(due).toEqual([{ id: second.id }]);
});

test('accounts with few and with many messages come back to their backlogs beside others that enter them', async () => {
  const [many, few] = [await ledger.account(60), await ledger.account(1)];
  const messages = [...Array.from({ length: 51 }, () => many), few].map((account) => ({
    account,
    message: ledger.message(),
  }));
  for (const { account, message } of messages) await ledger.accept(account, [message]);
  for (const { message } of messages) await ledger.age(message.id, 11);
  await other.query('insert into dispatch_turn (account_id, carrier_id) values ($1, 0)', [many]);
  const swept = reconcileOrders(ledger.database, { inDoubtWaitSeconds: 30, receiptDeadlineSeconds: 3_600 });
  await untilLockWaits(ledger.database, 1);
  await other.query('insert into dispatch_turn (account_id, carrier_id) values ($1, 0)', [few]);
  await other.query('commit');
  expect(await swept).toBeGreaterThanOrEqual(messages.length);
  const taken = (await take()).map(({ id }) => id);
  expect(taken).toEqual(expect.arrayContaining(messages.map(({ message }) => message.id)));
});

test('a counter that long messages use again after a week does not keep the purge from the others', async () => {
  const { database } = ledger;
  await database.query(
    `insert into concatenation_counter (destination, last, used_at)
     select d, 1, now() - interval '7 days 1 second' from unnest('{46700000001, 46700000002}'::text[]) d`,
  );
  // assign_concatenation_references() may want the other one next: with a wait for this one that would be a deadlock.
  await other.query("update concatenation_counter set used_at = now() where destination = '46700000002'");
  await purgeExpired(database, 24);
  await other.query('commit');
  const left = await database.query('select destination from concatenation_counter');
  expect(left).toEqual([{ destination: '46700000002' }]);
});

test('a submit in doubt that is removed with its message does not keep the purge from the others', async () => {
  const { database } = ledger;
  const ids = [ledger.message().id, ledger.message().id];
  await database.query(
    `insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
     select i, 1, $2, '46700000001', 1, now() - interval '7 days 1 second' from unnest($1::uuid[]) i`,
    [ids, ledger.carrierId],
  );
  // Redaction may remove the other one next: with a wait for this one that would be a deadlock.
  await other.query('delete from doubtful_submit where message_id = $1', [ids[1]]);
  await purgeExpired(database, 24);
  await other.query('rollback');
  expect(
    await database.query('select message_id as id from doubtful_submit where message_id = any($1)', [ids]),
  ).toEqual([{ id: ids[1] }]);
});

test('a message that is canceled while others are redacted is redacted within a minute, not at its time', async () => {
  const { database } = ledger;
  const account = await ledger.account(100);
  // PL/pgSQL reads ten rows of a loop ahead.
  const final = Array.from({ length: 12 }, () => ledger.message());
  const scheduled = ledger.message(1, { sendAt: new Date(Date.now() + 30 * 86_400_000) });
  await ledger.accept(account, [batchOf([...final, scheduled])]);
  for (const { id } of [...final, scheduled]) await redactMessage(database, account, id);
  await cancelOrders(
    database,
    account,
    final.map(({ id }) => id),
  );
  const [first] = final;
  await database.query(
    `insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
     values ($1, 1, $2, '46700000001', 1, now())`,
    [first?.id, ledger.carrierId],
  );
  const holder = await begun();
  await holder.query('select from doubtful_submit where message_id = $1 for update', [first?.id]);
  await other.query('select cancel_orders($1, array[$2::uuid])', [account, scheduled.id]);
  const redacted = redactWanted(database, 100);
  await untilLockWaits(ledger.database, 1);
  await other.query('commit');
  await holder.query('rollback');
  await holder.end();
  await redacted;
  const left = await database.query<{ seconds: number }>(
    'select extract(epoch from look_at - now())::float8 as seconds from redaction_due where account_id = $1',
    [account],
  );
  expect(left.filter(({ seconds }) => seconds > 60)).toEqual([]);
});

const take = () =>
  takeFromBacklog(ledger.database, {
    carrierId: NOT_ROUTED,
    segmentsMax: 1_000,
    quantum: 1_000,
    dueAfterSeconds: 10,
    inFlightMax: undefined,
  });

/** A transaction of a session of its own. */
async function begun(): Promise<pg.Client> {
  const client = new pg.Client(ledger.url);
  await client.connect();
  await client.query('begin');
  return client;
}
