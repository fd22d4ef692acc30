import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  findHold,
  listHeldOrders,
  listOperatorChanges,
  listUnmatchedReceipts,
  NOT_ROUTED,
  noticeRestoredDatabase,
  OperatorError,
  type PricedMessage,
  putInBacklog,
  releaseHold,
  rematchReceipts,
  resolveHeldOrders,
  segmentReference,
  setHold,
  settleReceiptedOrders,
} from '#persistence';
import { eventually } from '../support/eventually.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { answer, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
let account: string;
beforeEach(async () => {
  ledger = await TestLedger.create();
  account = await ledger.account(100);
  expect(await noticeRestoredDatabase(ledger.database, true)).toBeUndefined();
});
afterEach(async () => {
  await ledger.expectClean();
  await ledger.close();
});

const held = async () => (await listHeldOrders(ledger.database)).reduce((sum, { orders }) => sum + orders, 0);
const isClaimable = async (id: string) => (await ledger.claim([id])).length === 1;
const restore = (change: string) => ledger.database.query(`update database_identity set ${change}`);

/** A receipt that names no id that we know, as after a restore that lost the response. */
const strangeReceipt = (message: PricedMessage, position: number, state: 'delivered' | 'undelivered' = 'delivered') =>
  receiptFor(message, position, state, {
    carrierMessageId: `lost-${message.id}-${position}`,
    userMessageReference: segmentReference(message.id, position),
  });

describe('a restore is noticed', () => {
  test.each([
    ['another cluster', 'system_identifier = system_identifier - 1', 'database'],
    ['another database of the cluster', 'database_oid = database_oid - 1', 'database'],
    ['tables that were made anew', 'orders_oid = orders_oid - 1', 'database'],
    ['an earlier point in time', 'timeline = timeline + 1', 'timeline'],
  ])('when it is %s', async (_what, change, kind) => {
    const before = await ledger.queued(account);
    await restore(change);
    // Nobody has noticed yet: until then nothing is claimed, offered or ended.
    expect(await isClaimable(before.id)).toBe(false);
    await ledger.age(before.id, 7_200);
    expect(await ledger.sweep({ queueIsEmpty: true })).toEqual([]);
    expect(await ledger.state(before.id)).toBe('queued');

    const notices = await Promise.all([1, 2, 3, 4].map(() => noticeRestoredDatabase(ledger.database, true)));
    expect(notices.filter((notice) => notice !== undefined)).toMatchObject([{ change: kind }]);
    const after = await ledger.queued(account);
    expect(await isClaimable(before.id)).toBe(false);
    expect(await isClaimable(after.id)).toBe(true);
    expect(await held()).toBe(1);
  });

  test('and a failover holds nothing where that is turned off', async () => {
    const before = await ledger.queued(account);
    await restore('timeline = timeline + 1');
    expect(await noticeRestoredDatabase(ledger.database, false)).toEqual({ change: 'timeline', heldBefore: undefined });
    expect(await isClaimable(before.id)).toBe(true);
    await restore('database_oid = database_oid - 1');
    expect(await noticeRestoredDatabase(ledger.database, false)).toMatchObject({ change: 'database' });
    expect(await findHold(ledger.database)).toBeDefined();
  });

  test('by a server that keeps its identifier and timeline to itself, as far as it tells', async () => {
    await restore('system_identifier = null, timeline = null');
    expect(await noticeRestoredDatabase(ledger.database, true)).toBeUndefined();
  });

  test('again: what was cleared before the second restore is held anew', async () => {
    const message = await ledger.queued(account);
    await setHold(ledger.database, 'first');
    expect(await resolveHeldOrders(ledger.database, 'resend', {})).toBe(1);
    await restore('timeline = timeline + 1');
    await noticeRestoredDatabase(ledger.database, true);
    expect(await held()).toBe(1);
    expect(await isClaimable(message.id)).toBe(false);
  });
});

describe('while a hold is active', () => {
  test('a message waits past its validity and past every deadline, and others are not kept waiting by it', async () => {
    const queued = await ledger.queued(account);
    const sending = await ledger.queued(account);
    await ledger.claimed(sending.id);
    await setHold(ledger.database, 'spec');
    const other = await ledger.queued(account);
    for (const { id } of [queued, sending]) await ledger.age(id, 7_200);
    await ledger.database.query('update message_order set due_at = now() where id = $1', [other.id]);
    // Two at a time: what is held, and was due long before, must not fill every look.
    expect([...(await ledger.sweep({ limit: 2 })), ...(await ledger.sweep({ limit: 2 }))]).toEqual([other.id]);
    for (const { id } of [queued, sending]) await ledger.age(id, 7_200);
    expect(await ledger.sweep({ queueIsEmpty: true })).not.toContain(queued.id);
    expect([await ledger.state(queued.id), await ledger.state(sending.id)]).toEqual(['queued', 'sending']);
    expect((await ledger.find(sending.id)).segments).toMatchObject([{ state: 'in_doubt' }]);
    expect(await isClaimable(other.id)).toBe(true);
    expect(await listHeldOrders(ledger.database)).toMatchObject([
      { state: 'queued', orders: 1, inDoubt: 0, expired: 1 },
      { state: 'sending', orders: 1, inDoubt: 1, expired: 1 },
    ]);
  });

  test('what a worker has in hand goes on and is not an operator’s to decide', async () => {
    const message = await ledger.queued(account);
    const order = await ledger.claimed(message.id);
    await setHold(ledger.database, 'spec');
    expect(await resolveHeldOrders(ledger.database, 'refund', {})).toBe(0);
    await ledger.record([answer(order, 1, 'accepted')]);
    expect(await ledger.state(message.id)).toBe('sent');
  });

  test('a receipt proves that a message that looks queued had gone out', async () => {
    const [single, long, waiting] = [
      await ledger.queued(account),
      await ledger.queued(account, 3),
      await ledger.queued(account),
    ];
    await setHold(ledger.database, 'spec');
    await ledger.settle([
      strangeReceipt(single, 1),
      ...[1, 2].map((position) => strangeReceipt(long, position)),
      receiptFor(waiting, 1, 'delivered', {
        carrierMessageId: 'other',
        userMessageReference: segmentReference(waiting.id, 2),
      }),
    ]);
    expect(await settleReceiptedOrders(ledger.database, 30)).toBe(2);
    expect(await ledger.state(single.id)).toBe('delivered');
    expect((await ledger.find(long.id)).segments.map(({ state }) => state)).toEqual([
      'delivered',
      'delivered',
      'in_doubt',
    ]);
    expect(await ledger.state(waiting.id)).toBe('queued');
    await ledger.settle([strangeReceipt(long, 3)]);
    await rematchReceipts(ledger.database, 3_600, 30, 0);
    expect(await ledger.state(long.id)).toBe('delivered');
    expect((await ledger.find(single.id)).transitions.map(({ to, actor }) => `${to} by ${actor}`)).toEqual([
      'sending by receipt',
      'sent by receipt',
      'delivered by receipt',
    ]);
  });

  test('another one cannot be set, and a reason is needed', async () => {
    await setHold(ledger.database, 'first');
    await expect(setHold(ledger.database, 'second')).rejects.toThrow(OperatorError);
    await expect(setHold(ledger.database, 'second')).rejects.toThrow(/^a hold is active since .* \(first\)/);
  });
});

describe('an operator decides', () => {
  /** One order in each way of being open: queued, half taken and queued again, half taken and in doubt. */
  async function openOrders() {
    const queued = await ledger.queued(account, 2);
    const again = await ledger.queued(account, 2);
    const first = await ledger.claimed(again.id);
    await ledger.record([answer(first, 1, 'accepted', { done: false })]);
    await ledger.record([answer(first, 1, 'pending')]);
    const doubt = await ledger.queued(account, 2);
    const second = await ledger.claimed(doubt.id);
    await ledger.record([answer(second, 1, 'in_doubt')]);
    await setHold(ledger.database, 'spec');
    expect(await held()).toBe(3);
    return { queued, again, doubt };
  }

  test('refund: they fail, and all is released but what a carrier is known to have taken', async () => {
    const { queued, again, doubt } = await openOrders();
    expect(await resolveHeldOrders(ledger.database, 'refund', {})).toBe(3);
    for (const { id } of [queued, again, doubt]) expect(await ledger.state(id)).toBe('failed');
    expect(await ledger.figures(account)).toMatchObject({ reserved: 0n, captured: SEGMENT_PRICE });
    // A receipt that contradicts the refund is kept, so that an operator can see it.
    expect(await ledger.settle([strangeReceipt(doubt, 1)])).toMatchObject({ matched: 0, unmatched: 1 });
    expect(await rematchReceipts(ledger.database, 3_600, 30, 0)).toBe(0);
    expect(await listUnmatchedReceipts(ledger.database, 10)).toMatchObject([
      { carrier: 'carrier-1', destination: doubt.destination, state: 'delivered' },
    ]);
  });

  test('unknown: they are charged, and a late receipt still settles them', async () => {
    const { queued, again, doubt } = await openOrders();
    const other = await ledger.carrier();
    await expect(resolveHeldOrders(ledger.database, 'unknown', {})).rejects.toThrow(/--carrier .*carrier-1/);
    await expect(resolveHeldOrders(ledger.database, 'unknown', {}, 'nobody')).rejects.toThrow('no carrier nobody');
    expect(other).not.toBe(ledger.carrierId);
    expect(await resolveHeldOrders(ledger.database, 'unknown', {}, 'carrier-1')).toBe(3);
    const [recorded] = await listOperatorChanges(ledger.database, { subject: 'held messages' }, 1);
    expect(recorded).toMatchObject({ action: 'unknown', after: { messages: 3, carrier: 'carrier-1' } });
    for (const { id } of [queued, again, doubt]) expect(await ledger.state(id)).toBe('unknown');
    expect(await ledger.figures(account)).toMatchObject({ reserved: 0n, captured: SEGMENT_PRICE * 6n });

    await ledger.settle([1, 2].map((position) => strangeReceipt(queued, position)));
    await rematchReceipts(ledger.database, 3_600, 30, 0);
    expect(await ledger.state(queued.id)).toBe('delivered');
  });

  test('resend: they are dispatched as if nothing had been sent, and the others stay held', async () => {
    const { queued, again, doubt } = await openOrders();
    const other = await ledger.account(1);
    const elsewhere = await ledger.queued(other);
    await ledger.database.query(`update dispatch_hold set held_before = clock_timestamp()`);
    expect(await resolveHeldOrders(ledger.database, 'resend', { accountId: account })).toBe(3);
    for (const { id } of [queued, again, doubt]) await ledger.age(id, 5);
    expect((await ledger.sweep()).sort()).toEqual([queued.id, again.id, doubt.id].sort());
    expect((await ledger.claimed(queued.id)).openPositions).toEqual([1, 2]);
    expect((await ledger.claimed(again.id)).openPositions).toEqual([2]);
    expect((await ledger.claimed(doubt.id)).openPositions).toEqual([1, 2]);
    expect(await isClaimable(elsewhere.id)).toBe(false);
    expect(await held()).toBe(1);
  });

  test('resend keeps the validity: what is past it fails and is released', async () => {
    const message = await ledger.queued(account);
    await setHold(ledger.database, 'spec');
    await ledger.age(message.id, 7_200);
    expect(await resolveHeldOrders(ledger.database, 'resend', {})).toBe(1);
    await ledger.sweep();
    expect(await ledger.find(message.id)).toMatchObject({ state: 'failed', carrierCode: 'VALIDITY_OVER', amount: 0n });
  });

  test('release: what had been put off is due at once', async () => {
    const message = await ledger.queued(account);
    await setHold(ledger.database, 'spec');
    await ledger.age(message.id, 60);
    await ledger.sweep();
    expect(await releaseHold(ledger.database)).toBe(1);
    expect(await ledger.sweep()).toEqual([message.id]);
    expect(await isClaimable(message.id)).toBe(true);
    await expect(releaseHold(ledger.database)).rejects.toThrow('no hold is active');
    await expect(resolveHeldOrders(ledger.database, 'refund', {})).rejects.toThrow('no hold is active');
  });

  test.each([
    ['reconciler', "select * from reconcile_orders(10, '30 s', '60 s')"],
    ['feeder', "select * from take_from_backlog(0, 10, 10, '10 s', null)"],
  ])('release: waits for a %s at work, which still keeps back what it finds held', async (_what, look) => {
    const message = await ledger.queued(account);
    await setHold(ledger.database, 'spec');
    await putInBacklog(ledger.database, [message.id], NOT_ROUTED, 'interactive');
    await ledger.age(message.id, 60);
    let isOver = false;
    const released = await ledger.database.transaction(async (transaction) => {
      await transaction.query(look);
      const release = releaseHold(ledger.database).finally(() => {
        isOver = true;
      });
      await eventually(async () => (await findHold(ledger.database)) === undefined);
      await untilLockWaits(ledger.database, 1);
      expect(isOver).toBe(false);
      return { release };
    });
    expect(await released.release).toBe(1);
    await ledger.database.query('delete from dispatch_backlog');
    expect(await ledger.sweep()).toEqual([message.id]);
  });
});

test('a message that was resolved as unknown is delivered by a receipt that came before its late answer', async () => {
  const message = await ledger.queued(account);
  const order = await ledger.claimed(message.id);
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await ledger.age(message.id, 31);
  await ledger.sweep();
  await setHold(ledger.database, 'test');
  expect(await resolveHeldOrders(ledger.database, 'unknown', {}, 'carrier-1')).toBe(1);
  await ledger.settle([receiptFor(message, 1, 'delivered')]);
  await ledger.record([answer(order, 1, 'accepted')]);
  expect(await ledger.state(message.id)).toBe('delivered');
});

test('a claim tests the hold in its own statement, without a call for each order', async () => {
  const plan = await ledger.database.query(
    `explain verbose select from message_order o where may_be_claimed(o, 1, now(), '{}')`,
  );
  expect(JSON.stringify(plan)).toMatch(/Filter.*cleared_hold/);
  expect(JSON.stringify(plan)).not.toContain('may_be_claimed');
});
