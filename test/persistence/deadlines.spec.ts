import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  failUnroutable,
  NOT_ROUTED,
  purgeExpired,
  putInBacklog,
  releaseDeadWorkers,
  removeCarrier,
  renewLeases,
  suspendAccount,
} from '#persistence';
import { answer, batchOf, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(async () => {
  await ledger.expectClean();
  // What a test leaves open must not come due in the next one.
  const rows = await ledger.database.query<{ id: string }>('select id from message_order where due_at is not null');
  for (const { id } of rows)
    await ledger.database.query("update message_order set due_at = now() + interval '1 day' where id = $1", [id]);
});
afterAll(() => ledger.close());

const queued = async () => (await ledger.queued(await ledger.account(1))).id;

async function inDoubt(segments = 1) {
  const account = await ledger.account(segments);
  const order = await ledger.claimed((await ledger.queued(account, segments)).id);
  await ledger.record([answer(order, 1, 'in_doubt')]);
  return { account, order };
}

describe('an order that nobody claims', () => {
  test('is back in the backlog of its account when its time has come, again and again', async () => {
    const id = await queued();
    expect(await ledger.sweep()).toEqual([]);
    await ledger.age(id, 11);
    expect(await ledger.sweep()).toEqual([id]);
    expect(await ledger.sweep()).toEqual([]);
    await ledger.age(id, 12);
    expect(await ledger.sweep()).toEqual([id]);
    expect(await ledger.sweep()).toEqual([]);
  });

  test('is back at once when the queues have lost their jobs', async () => {
    const id = await queued();
    expect(await ledger.sweep()).not.toContain(id);
    expect(await ledger.sweep({ queueIsEmpty: true })).toContain(id);
  });

  test('does not come back before its back-off is over, and then it does', async () => {
    const id = await queued();
    const order = await ledger.claimed(id);
    await ledger.record([answer(order, 1, 'pending', { retryAfterMs: 30_000 })]);
    await ledger.age(id, 15);
    expect(await ledger.sweep({ queueIsEmpty: true })).not.toContain(id);
    await ledger.age(id, 18);
    expect(await ledger.sweep()).toEqual([id]);
  });

  test('is looked at, however many are due that may not be tried again yet', async () => {
    const { database } = ledger;
    const account = await ledger.account(3);
    const putOff = [await ledger.queued(account), await ledger.queued(account)].map(({ id }) => id);
    const id = await queued();
    const orders = await ledger.claim(putOff);
    await ledger.record(orders.map((order) => answer(order, 1, 'pending', { retryAfterMs: 60_000 })));
    await database.query("update message_order set due_at = now() - interval '1 minute' where id = any($1)", [putOff]);
    await ledger.age(id, 11);
    expect(await ledger.sweep({ limit: 2 })).toEqual([id]);
    for (const each of putOff) await ledger.age(each, 61);
    expect((await ledger.sweep({ limit: 2 })).sort()).toEqual([...putOff].sort());
  });

  test('fails when its validity is over, and its money comes back', async () => {
    const account = await ledger.account(1);
    const { id } = await ledger.queued(account);
    await ledger.age(id, 3_601);
    expect(await ledger.sweep()).toEqual([]);
    expect(await ledger.find(id)).toMatchObject({ state: 'failed', amount: 0n, carrierCode: 'VALIDITY_OVER' });
    expect(await ledger.figures(account)).toMatchObject({ available: SEGMENT_PRICE, reserved: 0n });
    await ledger.sweep();
    expect(await ledger.figures(account)).toMatchObject({ available: SEGMENT_PRICE });
  });

  test('and is held for its account waits, and fails all the same when its validity is over', async () => {
    const account = await ledger.account(1);
    const { id } = await ledger.queued(account);
    await suspendAccount(ledger.database, account, 'hold');
    await ledger.age(id, 11);
    expect(await ledger.sweep()).toEqual([]);
    expect(await ledger.state(id)).toBe('queued');
    await ledger.age(id, 3_601);
    await ledger.sweep();
    expect(await ledger.find(id)).toMatchObject({ state: 'failed', carrierCode: 'VALIDITY_OVER' });
    expect(await ledger.figures(account)).toMatchObject({ available: SEGMENT_PRICE, reserved: 0n });
  });
});

describe('a message that a carrier may have when its validity is over', () => {
  test('is unknown and charged, and a late receipt counts', async () => {
    const { account, order } = await inDoubt();
    await ledger.age(order.id, 4_000);
    await ledger.sweep();
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', amount: SEGMENT_PRICE, dueAt: undefined });
    await ledger.record([answer(order, 1, 'accepted')]);
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('is so too while it waits to be sent again, whatever the carrier said of the second submit', async () => {
    const { account, order } = await inDoubt();
    await ledger.age(order.id, 31);
    await ledger.sweep();
    const again = await ledger.claimed(order.id);
    await ledger.record([answer(again, 1, 'pending', { answer: 'ESME_RTHROTTLED' })]);
    await ledger.age(order.id, 4_000);
    await ledger.sweep();
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', carrierCode: 'ESME_RTHROTTLED' });
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('fails if a part of it never left, and costs the segments that the carrier may have', async () => {
    const { account, order } = await inDoubt(3);
    for (let sweeps = 0; sweeps < 2; sweeps += 1) {
      await ledger.age(order.id, 4_000);
      await ledger.sweep();
    }
    expect(await ledger.find(order.id)).toMatchObject({ state: 'failed', carrierCode: 'VALIDITY_OVER' });
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });
});

describe('a message that a carrier may have, waits to be sent again, and has no route any more', () => {
  beforeAll(async () => {
    await ledger.database.query("insert into route (prefix, carrier_id) values ('1', $1)", [ledger.carrierId]);
  });
  afterAll(() => ledger.database.query('delete from route'));

  async function withoutRoute(id: string) {
    await ledger.age(id, 31);
    await ledger.sweep();
    return failUnroutable(ledger.database, [id], 30);
  }

  test('is unknown and charged, and a late receipt counts', async () => {
    const { account, order } = await inDoubt();
    expect(await withoutRoute(order.id)).toEqual([{ id: order.id, state: 'unknown' }]);
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', amount: SEGMENT_PRICE, dueAt: undefined });
    await ledger.record([answer(order, 1, 'accepted')]);
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('fails if a part of it never left, and costs the segments that the carrier may have', async () => {
    const { account, order } = await inDoubt(3);
    expect(await withoutRoute(order.id)).toEqual([{ id: order.id, state: 'failed' }]);
    expect(await ledger.find(order.id)).toMatchObject({ carrierCode: 'NO_ROUTE', amount: SEGMENT_PRICE });
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });

  test('goes on with the carrier that has a part of it; when that one is removed it fails, and costs the part', async () => {
    const carrierId = await ledger.carrier({ name: 'begun' });
    const account = await ledger.account(3);
    const order = await ledger.claimed((await ledger.queued(account, 3)).id, { carrierId });
    await ledger.record([answer(order, 1, 'accepted', { done: false }), answer(order, 2, 'pending')]);
    expect(await withoutRoute(order.id)).toEqual([]);
    expect(await ledger.state(order.id)).toBe('queued');
    await removeCarrier(ledger.database, 'begun');
    expect(await withoutRoute(order.id)).toEqual([{ id: order.id, state: 'failed' }]);
    expect(await ledger.find(order.id)).toMatchObject({ carrierCode: 'NO_ROUTE', amount: SEGMENT_PRICE });
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, reserved: 0n });
  });
});

describe('an order that a worker owns', () => {
  test('is left alone while the lease lives', async () => {
    const id = await queued();
    await ledger.claimed(id);
    await ledger.age(id, 30);
    expect(await ledger.sweep({ queueIsEmpty: true })).not.toContain(id);
    expect(await ledger.state(id)).toBe('sending');
  });

  test('is taken over when the worker died: what it was writing waits in doubt, then goes out again', async () => {
    const id = await queued();
    await ledger.claimed(id);
    await ledger.age(id, 61);
    expect(await ledger.sweep()).toEqual([]);
    expect((await ledger.find(id)).segments.map(({ state }) => state)).toEqual(['in_doubt']);
    await ledger.age(id, 31);
    expect(await ledger.sweep()).toEqual([id]);
    expect(await ledger.claimed(id)).toMatchObject({ epoch: 2, openPositions: [1] });
  });

  test('is offered again at once when nothing of it was being written', async () => {
    const account = await ledger.account(2);
    const { id } = await ledger.queued(account, 2);
    const order = await ledger.claimed(id);
    await ledger.record([answer(order, 1, 'accepted', { done: false })]);
    await ledger.age(id, 61);
    expect(await ledger.sweep()).toEqual([id]);
    expect(await ledger.claimed(id)).toMatchObject({ openPositions: [2] });
  });
});

test('all that a dead worker had claimed is due at once, however late it was due before, and nothing else', async () => {
  const { database } = ledger;
  const account = await ledger.account(10);
  const ids: string[] = [];
  for (let count = 0; count < 6; count += 1) ids.push((await ledger.queued(account)).id);
  const [fresh, waited, again, renewed, other] = ids;
  await ledger.record([answer(await ledger.claimed(again ?? ''), 1, 'pending')]);
  // Due when its validity ends.
  await putInBacklog(database, [waited ?? '', again ?? ''], NOT_ROUTED, 'bulk');
  await ledger.claim([fresh, waited, again, renewed] as string[], { workerId: 'dead', leaseSeconds: 15 });
  await renewLeases(database, 'dead', [renewed ?? ''], 15);
  await ledger.claim([other ?? ''], { workerId: 'alive', leaseSeconds: 15 });
  await database.query(
    `insert into process_heartbeat (process_id, role, seen_at)
     select p, 'worker', now() - make_interval(secs => s) from (values ('dead', 20), ('alive', 1)) as u(p, s)`,
  );
  expect(await releaseDeadWorkers(database, 15)).toBe(4);
  expect(await releaseDeadWorkers(database, 15)).toBe(0);
  const due = await database.query<{ id: string }>('select id from message_order where due_at <= now()');
  expect(due.map(({ id }) => id).sort()).toEqual(ids.slice(0, 4).sort());
});

test('a sent order without a receipt becomes unknown at the deadline, not before, and stays charged', async () => {
  const account = await ledger.account(2);
  const { id } = await ledger.queued(account, 2);
  const order = await ledger.claimed(id);
  await ledger.record([answer(order, 1, 'accepted')]);
  await ledger.age(id, 61);
  await ledger.sweep();
  await ledger.record([answer(await ledger.claimed(id), 2, 'accepted')]);
  await ledger.settle([receiptFor(order, 1, 'delivered')]);
  await ledger.age(id, 3_000);
  await ledger.sweep();
  expect(await ledger.state(id)).toBe('sent');
  await ledger.age(id, 601);
  await ledger.sweep();
  expect(await ledger.state(id)).toBe('unknown');
  expect(await ledger.figures(account)).toMatchObject({ captured: 2n * SEGMENT_PRICE });
});

test('several sweepers at once offer each order once', async () => {
  const account = await ledger.account(200);
  const messages = Array.from({ length: 200 }, () => ledger.message());
  await ledger.accept(account, messages);
  for (const { id } of messages) await ledger.age(id, 11);
  const offered = (await Promise.all(Array.from({ length: 8 }, () => ledger.sweep()))).flat();
  expect(offered.sort()).toEqual(messages.map(({ id }) => id).sort());
});

test('a sweep does not wait for an order that somebody works on', async () => {
  const [busy, idle] = [await queued(), await queued()];
  for (const id of [busy, idle]) await ledger.age(id, 11);
  await ledger.database.transaction(async (transaction) => {
    await transaction.query('select from message_order where id = $1 for update', [busy]);
    expect(await ledger.sweep()).toEqual([idle]);
  });
  expect(await ledger.sweep()).toEqual([busy]);
});

test('keys older than they are honoured are deleted, younger ones stay', async () => {
  const account = await ledger.account(2);
  const keyed = (key: string) => batchOf([ledger.message()], { key, fingerprint: Buffer.alloc(32) });
  await ledger.accept(account, [keyed('old'), keyed('young')]);
  await ledger.database.query("update idempotency_key set created_at = now() - interval '49 hours' where key = 'old'");
  expect(await purgeExpired(ledger.database, 48)).toBe(false);
  expect(await ledger.database.query('select key from idempotency_key')).toEqual([{ key: 'young' }]);
});

test('however much has expired, it goes in slices, and none of it is forgotten', async () => {
  await ledger.database.query(
    `insert into concatenation_counter (destination, last, used_at)
     select n::text, 1, now() - make_interval(days => case when n > 20 then 1 else 8 end) from generate_series(1, 25) n`,
  );
  await ledger.database.query(
    `insert into parked_receipt (carrier_id, carrier_message_id, destination, state, carrier_code, received_at)
     select 1, n::text, '4670', 'delivered', 'OK', now() - make_interval(days => case when n > 3 then 1 else 31 end)
       from generate_series(1, 5) n`,
  );
  const left = async (table: string) => (await ledger.database.query(`select from ${table}`)).length;
  expect(await purgeExpired(ledger.database, 48, 10)).toBe(true);
  expect([await left('concatenation_counter'), await left('parked_receipt')]).toEqual([15, 2]);
  expect(await purgeExpired(ledger.database, 48, 10)).toBe(true);
  expect(await purgeExpired(ledger.database, 48, 10)).toBe(false);
  expect([await left('concatenation_counter'), await left('parked_receipt')]).toEqual([5, 2]);
});
