import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { rematchReceipts } from '#persistence';
import { eventually } from '../support/eventually.js';
import { answer, carrierId, receiptFor, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';
import { byReference, MATCHED, sent as sentOn, submitting as submittingOn, UNMATCHED } from './submitted-orders.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

const submitting = (segments?: number, changes?: { destination?: string }) => submittingOn(ledger, segments, changes);
const sent = (segments?: number, changes?: { destination?: string }) => sentOn(ledger, segments, changes);
const rematch = () => rematchReceipts(ledger.database, 300, 30, 0);

describe('a receipt says what became of a message', () => {
  test.each([
    ['delivered', 'DELIVRD'],
    ['undelivered', 'UNDELIV'],
  ] as const)('%s', async (state, code) => {
    const { account, order } = await sent();
    expect(await ledger.settle([receiptFor(order, 1, state)])).toEqual(MATCHED);
    expect(await ledger.find(order.id)).toMatchObject({ state, carrierCode: code, dueAt: undefined });
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE, available: 0n });
  });

  test('a long message is delivered when all of its segments are, and undelivered once one is', async () => {
    const [whole, broken] = [await sent(3), await sent(3)];
    for (const position of [3, 1]) await ledger.settle([receiptFor(whole.order, position, 'delivered')]);
    expect(await ledger.state(whole.order.id)).toBe('sent');
    await ledger.settle([receiptFor(whole.order, 2, 'delivered')]);
    expect(await ledger.state(whole.order.id)).toBe('delivered');
    await ledger.settle([receiptFor(broken.order, 1, 'delivered'), receiptFor(broken.order, 2, 'undelivered')]);
    expect(await ledger.state(broken.order.id)).toBe('undelivered');
    await ledger.settle([receiptFor(broken.order, 3, 'delivered')]);
    expect(await ledger.state(broken.order.id)).toBe('undelivered');
  });

  test('the code of a long message is that of the segment that was not delivered, whatever the others say', async () => {
    const { order } = await sent(3);
    await ledger.settle([
      receiptFor(order, 1, 'delivered'),
      receiptFor(order, 2, 'undelivered', { code: 'DELETED' }),
      receiptFor(order, 3, 'delivered'),
    ]);
    expect(await ledger.find(order.id)).toMatchObject({ state: 'undelivered', carrierCode: 'DELETED' });
  });

  test('the same receipt three times, together or one by one, is one', async () => {
    const { order } = await sent();
    const receipt = receiptFor(order, 1, 'delivered');
    expect(await ledger.settle([receipt, receipt, receipt])).toEqual({ matched: 3, unmatched: 0 });
    expect(await ledger.settle([receipt])).toEqual(MATCHED);
    const { transitions } = await ledger.find(order.id);
    expect(transitions.map(({ to }) => to)).toEqual(['sending', 'sent', 'delivered']);
  });

  test.each([
    ['undelivered', 'delivered'],
    ['delivered', 'undelivered'],
  ] as const)('%s, then %s: the handset has it, whatever came first', async (first, second) => {
    const [apart, together] = [await sent(), await sent()];
    await ledger.settle([receiptFor(apart.order, 1, first)]);
    expect(await ledger.state(apart.order.id)).toBe(first);
    await ledger.settle([receiptFor(apart.order, 1, second)]);
    await ledger.settle([first, second].map((state) => receiptFor(together.order, 1, state)));
    expect(await ledger.state(apart.order.id)).toBe('delivered');
    expect(await ledger.state(together.order.id)).toBe('delivered');
  });

  test.each(['delivered', 'undelivered'] as const)('late, after unknown: %s', async (state) => {
    const { account, order } = await sent();
    await ledger.age(order.id, 3_601);
    await ledger.sweep();
    expect(await ledger.find(order.id)).toMatchObject({ state: 'unknown', carrierCode: 'NO_RECEIPT' });
    await ledger.settle([receiptFor(order, 1, state)]);
    expect(await ledger.state(order.id)).toBe(state);
    expect(await ledger.figures(account)).toMatchObject({ captured: SEGMENT_PRICE });
  });
});

describe('a receipt may come before the response', () => {
  test('it waits, and is applied with the response', async () => {
    const { order } = await submitting();
    expect(await ledger.settle([receiptFor(order, 1, 'delivered')])).toEqual(UNMATCHED);
    expect(await ledger.state(order.id)).toBe('sending');
    const moves = await ledger.record([answer(order, 1, 'accepted')]);
    expect(moves.map(({ state }) => state)).toEqual(['sent', 'delivered']);
    const { transitions } = await ledger.find(order.id);
    expect(transitions.map(({ to }) => to)).toEqual(['sending', 'sent', 'delivered']);
  });

  test('its code is the code of the message', async () => {
    const { order } = await submitting(2);
    await ledger.settle([receiptFor(order, 2, 'undelivered', { code: 'EXPIRED/011' })]);
    await ledger.record([answer(order, 2, 'accepted', { done: false }), answer(order, 1, 'accepted')]);
    const { state, carrierCode, transitions } = await ledger.find(order.id);
    expect([state, carrierCode]).toEqual(['undelivered', 'EXPIRED/011']);
    expect(transitions.map((move) => [move.to, move.carrierCode])).toEqual([
      ['sending', undefined],
      ['sent', undefined],
      ['undelivered', 'EXPIRED/011'],
    ]);
  });

  test('if it came while the response was being committed, it is found soon after', async () => {
    const { order } = await submitting();
    await ledger.record([answer(order, 1, 'accepted')]);
    await ledger.database.query(
      `insert into parked_receipt (carrier_id, carrier_message_id, destination, state, carrier_code)
       values ($1, $2, $3, 'delivered', 'DELIVRD')`,
      [ledger.carrierId, carrierId(order.id, 1), order.destination],
    );
    expect(await rematch()).toBe(1);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await rematch()).toBe(0);
  });

  test('the order is delivered however responses and receipts of its segments interleave', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { order } = await submitting(6);
      const steps = order.openPositions.flatMap((position) => [
        () => ledger.record([answer(order, position, 'accepted', { done: position === 6 })]),
        () => ledger.settle([receiptFor(order, position, 'delivered')]),
      ]);
      await Promise.all(steps.sort(() => Math.random() - 0.5).map((step) => step()));
      await rematch();
      expect(await ledger.state(order.id)).toBe('delivered');
    }
  });
});

describe('no receipt is lost', () => {
  test('of an unknown id it is kept for when its message shows up, and repeats of it for no longer', async () => {
    const { order } = await submitting();
    const receipt = receiptFor(order, 1, 'delivered');
    expect(await ledger.settle([receipt, receipt])).toEqual({ matched: 0, unmatched: 2 });
    expect(await ledger.settle([receipt])).toEqual(UNMATCHED);
    await ledger.record([answer(order, 1, 'accepted')]);
    expect(await ledger.state(order.id)).toBe('delivered');
    expect(await rematch()).toBe(2);
  });

  test('two receipts without any id for one number are two when their references differ', async () => {
    const { order } = await submitting(2);
    const receipts = [1, 2].map((position) =>
      byReference(order, position, 'delivered', { carrierMessageId: undefined }),
    );
    expect(await ledger.settle(receipts)).toEqual({ matched: 0, unmatched: 2 });
    await ledger.record([answer(order, 1, 'in_doubt', { done: false }), answer(order, 2, 'in_doubt')]);
    expect(await rematch()).toBe(2);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('an id that the carrier uses again belongs to the newer message', async () => {
    const old = await sent();
    await ledger.settle([receiptFor(old.order, 1, 'delivered')]);
    const newer = await submitting();
    const again = receiptFor(newer.order, 1, 'undelivered', { carrierMessageId: carrierId(old.order.id, 1) });
    expect(await ledger.settle([again])).toEqual(UNMATCHED);
    await ledger.record([answer(newer.order, 1, 'accepted', { answer: carrierId(old.order.id, 1) })]);
    expect(await ledger.state(newer.order.id)).toBe('undelivered');
    expect(await ledger.state(old.order.id)).toBe('delivered');
  });

  test.each(['together', 'one by one'])(
    'of a carrier with one id for all segments, receipts that come %s',
    async (how) => {
      const { order } = await submitting(3);
      const id = carrierId(order.id, 1);
      await ledger.record(order.openPositions.map((position) => answer(order, position, 'accepted', { answer: id })));
      const receipts = order.openPositions.map(() => receiptFor(order, 1, 'delivered'));
      if (how === 'together') expect(await ledger.settle(receipts)).toEqual({ matched: 3, unmatched: 0 });
      else for (const receipt of receipts) expect(await ledger.settle([receipt])).toEqual(MATCHED);
      expect(await ledger.state(order.id)).toBe('delivered');
      expect(await ledger.settle([receiptFor(order, 1, 'undelivered')])).toEqual(MATCHED);
      expect(await ledger.state(order.id)).toBe('delivered');
    },
  );

  test('of a carrier with one id for two messages to one number, both are settled, the newer one first', async () => {
    const older = await sent();
    const newer = await submitting(1, { destination: older.order.destination });
    await ledger.record([answer(newer.order, 1, 'accepted', { answer: carrierId(older.order.id, 1) })]);
    const receipt = receiptFor(older.order, 1, 'delivered');
    await ledger.settle([receipt]);
    expect([await ledger.state(older.order.id), await ledger.state(newer.order.id)]).toEqual(['sent', 'delivered']);
    await ledger.settle([receipt]);
    expect(await ledger.state(older.order.id)).toBe('delivered');
  });

  test.each([
    [1, 1],
    [1, 2],
    [2, 1],
  ])(
    'of a carrier with one id for messages of %i and %i segments, receipts that come together settle both',
    async (...segments) => {
      const [first] = [await submitting(segments[0])];
      const { destination } = first.order;
      const second = await submitting(segments[1], { destination });
      const id = carrierId(first.order.id, 1);
      const orders = [first.order, second.order];
      const places = orders.flatMap((order) => order.openPositions.map((position) => ({ order, position })));
      await ledger.record(places.map(({ order, position }) => answer(order, position, 'accepted', { answer: id })));
      await ledger.settle(places.map(() => receiptFor(first.order, 1, 'delivered')));
      for (const order of orders) expect(await ledger.state(order.id)).toBe('delivered');
    },
  );

  test('a carrier that writes the number in another way is understood by the id', async () => {
    const { order } = await sent();
    const receipt = receiptFor(order, 1, 'delivered', { destination: order.destination.slice(2) });
    expect(await ledger.settle([receipt])).toEqual(MATCHED);
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('a receipt that changes its mind is of the message, however the carrier writes the number', async () => {
    const { order } = await sent();
    const destination = `00${order.destination}`;
    for (const state of ['undelivered', 'delivered'] as const) {
      expect(await ledger.settle([receiptFor(order, 1, state, { destination })])).toEqual(MATCHED);
    }
    expect(await ledger.state(order.id)).toBe('delivered');
  });

  test('an id of another carrier is another id', async () => {
    const { order } = await sent();
    const other = await ledger.carrier();
    expect(await ledger.settle([receiptFor(order, 1, 'delivered')], other)).toEqual(UNMATCHED);
    expect(await ledger.state(order.id)).toBe('sent');
    expect(await ledger.settle([receiptFor(order, 1, 'delivered')])).toEqual(MATCHED);
  });

  test('receipts of several carriers that waited are all matched by one look', async () => {
    const others = [await ledger.carrier(), await ledger.carrier()];
    const ids = await Promise.all(
      others.map(async (other) => {
        const { id } = await ledger.queued(await ledger.account(1));
        const order = await ledger.claimed(id, { carrierId: other });
        await ledger.settle([byReference(order, 1)], other);
        await ledger.record([answer(order, 1, 'in_doubt')]);
        return id;
      }),
    );
    expect(await rematch()).toBe(2);
    for (const id of ids) expect(await ledger.state(id)).toBe('delivered');
  });
});

const setBack = (interval: string) =>
  ledger.database.query('update parked_receipt set received_at = received_at - $1::interval', [interval]);

test.each(['20 days', '50 seconds'])(
  'a receipt that was stored %s before a message was submitted does not decide it, although it has its id',
  async (age) => {
    const { order } = await submitting();
    expect(await ledger.settle([receiptFor(order, 1, 'undelivered', { destination: '467999999' })])).toEqual(UNMATCHED);
    await setBack(age);
    await ledger.record([answer(order, 1, 'accepted')]);
    expect(await ledger.state(order.id)).toBe('sent');
    expect(await rematchReceipts(ledger.database, undefined, 30, 0)).toBe(0);
    expect(await ledger.state(order.id)).toBe('sent');
    await ledger.settle([receiptFor(order, 1, 'delivered')]);
    expect(await ledger.state(order.id)).toBe('delivered');
  },
);

test('a clock that was set back by less than a minute does not make an early receipt look old', async () => {
  const { order } = await submitting();
  await ledger.settle([receiptFor(order, 1, 'delivered')]);
  await setBack('50 seconds');
  await ledger.record([answer(order, 1, 'accepted')]);
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('an early receipt counts, although one that is alike was stored for an older message with the same id', async () => {
  const { order } = await submitting();
  const early = receiptFor(order, 1, 'delivered');
  expect(await ledger.settle([early])).toEqual(UNMATCHED);
  await ledger.database.query("update parked_receipt set received_at = received_at - interval '20 days'");
  await ledger.settle([early]);
  await ledger.record([answer(order, 1, 'accepted')]);
  expect(await ledger.state(order.id)).toBe('delivered');
});

test('a receipt is found again among more unmatched ones than one look reads', async () => {
  const { order } = await sent();
  const foreign = (name: string) => receiptFor(order, 1, 'delivered', { carrierMessageId: `${name}-${order.id}` });
  const name = (id: string) =>
    ledger.database.query('update segment set carrier_message_id = $2 where message_id = $1', [order.id, id]);
  await name('not committed yet');
  await ledger.settle([...['a', 'b', 'c'].map(foreign), receiptFor(order, 1, 'delivered')]);
  await ledger.settle(['d', 'e', 'f'].map(foreign));
  await name(carrierId(order.id, 1));
  await eventually(async () => (await rematchReceipts(ledger.database, undefined, 30, 0, 1)) > 0);
  expect(await ledger.state(order.id)).toBe('delivered');
});
