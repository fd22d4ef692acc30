import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { changeAccount, rematchReceipts } from '#persistence';
import { answer, receiptFor, TestLedger } from '../support/test-ledger.js';
import { byReference, submitting } from './submitted-orders.js';

const IN_SEGMENTS = { whole: false, format: 'in segments' } as const;
const OTHERWISE = { whole: false, format: 'in segments, otherwise' } as const;
const WHOLE = { whole: true, format: 'whole' } as const;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterEach(() => ledger.expectClean());
afterAll(() => ledger.close());

async function aLongMessage(segments = 3): Promise<string> {
  return (await ledger.queued(await ledger.account(segments), segments)).id;
}

async function formatOf(id: string): Promise<string | undefined> {
  const [row] = await ledger.database.query<{ format: string | null }>(
    'select w.format from message_order o left join wire_format w using (wire_format_id) where o.id = $1',
    [id],
  );
  return row?.format ?? undefined;
}

describe('the claim decides how a message is written', () => {
  test('and stores it', async () => {
    const id = await aLongMessage();
    expect(await ledger.claimed(id, IN_SEGMENTS)).toMatchObject({
      whole: false,
      format: null,
      openPositions: [1, 2, 3],
    });
    expect(await formatOf(id)).toBe(IN_SEGMENTS.format);
    const whole = await aLongMessage();
    expect(await ledger.claimed(whole, WHOLE)).toMatchObject({ whole: true, format: null, openPositions: [1] });
    expect(await formatOf(whole)).toBe(WHOLE.format);
  });

  test('each format is stored once, however many workers claim with it for the first time at once', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => aLongMessage(1)));
    const owner = { whole: false, format: `new at ${ids[0]}` };
    await Promise.all(ids.map((id, worker) => ledger.claimed(id, { ...owner, workerId: `worker-${worker}` })));
    const rows = await ledger.database.query('select from wire_format where format = $1', [owner.format]);
    expect(rows).toHaveLength(1);
    for (const id of ids) expect(await formatOf(id)).toBe(owner.format);
  });

  test.each([
    ['taken', 'accepted'],
    ['in doubt', 'in_doubt'],
  ] as const)(
    'a message of which a segment is %s goes on as it was begun, whatever is set by then',
    async (_what, kind) => {
      const id = await aLongMessage();
      const order = await ledger.claimed(id, IN_SEGMENTS);
      await ledger.record([answer(order, 1, kind, { done: kind === 'accepted' })]);
      if (kind === 'in_doubt') {
        await ledger.record([answer(order, 1, 'in_doubt')]);
        await ledger.age(id, 120);
        await ledger.sweep();
      }
      expect(await ledger.state(id)).toBe('queued');
      const again = await ledger.claimed(id, WHOLE);
      expect(again).toMatchObject({ whole: false, format: IN_SEGMENTS.format });
      expect(again.openPositions).toEqual(kind === 'accepted' ? [2, 3] : [1, 2, 3]);
      expect(await formatOf(id)).toBe(IN_SEGMENTS.format);
      await ledger.record([answer(again, again.openPositions[0] ?? 0, 'pending')]);
      expect(await ledger.claimed(id, IN_SEGMENTS)).toMatchObject({ whole: false, format: null });
    },
  );

  test('a whole message in doubt is sent again whole', async () => {
    const id = await aLongMessage();
    const order = await ledger.claimed(id, WHOLE);
    await ledger.record([answer(order, 1, 'in_doubt')]);
    await ledger.age(id, 120);
    await ledger.sweep();
    expect(await ledger.claimed(id, IN_SEGMENTS)).toMatchObject({
      whole: true,
      format: WHOLE.format,
      openPositions: [1],
    });
  });

  test('a message in doubt whose next attempt did not leave is still the one that was begun', async () => {
    const id = await aLongMessage();
    await ledger.record([answer(await ledger.claimed(id, IN_SEGMENTS), 1, 'in_doubt')]);
    await ledger.age(id, 120);
    await ledger.sweep();
    await ledger.record([answer(await ledger.claimed(id, IN_SEGMENTS), 1, 'pending')]);
    expect(await ledger.claimed(id, OTHERWISE)).toMatchObject({ format: IN_SEGMENTS.format });
  });

  test('a carrier that may have a message never gets it in the format of another one that tried it since', async () => {
    const other = await ledger.carrier();
    const id = await aLongMessage();
    await ledger.record([answer(await ledger.claimed(id, IN_SEGMENTS), 1, 'in_doubt')]);
    await ledger.age(id, 120);
    await ledger.sweep();
    await ledger.record([answer(await ledger.claimed(id, { ...WHOLE, carrierId: other }), 1, 'pending')]);
    expect(await ledger.claimed(id, IN_SEGMENTS)).toMatchObject({
      whole: false,
      format: null,
      openPositions: [1, 2, 3],
    });
    expect(await formatOf(id)).toBe(IN_SEGMENTS.format);
  });

  test('a message of which nothing has left is written as is set by then', async () => {
    const id = await aLongMessage();
    await ledger.record([answer(await ledger.claimed(id, IN_SEGMENTS), 1, 'pending')]);
    const again = await ledger.claimed(id, WHOLE);
    expect(again).toMatchObject({ whole: true, format: null, openPositions: [1] });
    await ledger.record([answer(again, 1, 'accepted')]);
    await ledger.settle([receiptFor(again, 1, 'delivered')]);
    expect(await ledger.state(id)).toBe('delivered');
  });

  test('a message that was begun by the version before goes on in segments or whole, as it was begun', async () => {
    const id = await aLongMessage();
    await ledger.record([answer(await ledger.claimed(id), 1, 'accepted')]);
    expect(await formatOf(id)).toBeUndefined();
    const again = await ledger.claimed(id, WHOLE);
    expect(again).toMatchObject({ whole: false, format: null, openPositions: [2, 3] });
    expect(await formatOf(id)).toBeUndefined();
  });

  test('the parts of a message have one sender, whatever the account has by then', async () => {
    const account = await ledger.account(3);
    await changeAccount(ledger.database, account, { sender: 'Before' });
    const { id } = await ledger.queued(account, 3);
    const order = await ledger.claimed(id, IN_SEGMENTS);
    expect(order.sender).toBe('Before');
    await changeAccount(ledger.database, account, { sender: 'After' });
    await ledger.record([answer(order, 1, 'accepted')]);
    expect((await ledger.claimed(id, OTHERWISE)).sender).toBe('Before');
    const other = await ledger.queued(await ledger.account(1), 1);
    expect((await ledger.claimed(other.id, IN_SEGMENTS)).sender).toBeNull();
  });

  test('what a carrier may have in part goes out whole by another one, whose receipt is that of the message', async () => {
    const other = await ledger.carrier();
    const { order } = await submitting(ledger, 3);
    const { id } = order;
    await ledger.record([1, 2, 3].map((position) => answer(order, position, 'in_doubt')));
    await ledger.age(id, 120);
    await ledger.sweep();
    const again = await ledger.claimed(id, { ...WHOLE, carrierId: other });
    await ledger.record([answer(again, 1, 'accepted')]);
    await ledger.settle([byReference(order, 2)]);
    expect(await rematchReceipts(ledger.database, 300, 30, 0)).toBe(0);
    await ledger.settle([receiptFor(again, 1, 'delivered')], other);
    expect(await ledger.state(id)).toBe('delivered');
  });

  test('what a removed carrier took in part goes out whole by a carrier that takes messages whole', async () => {
    const removed = await ledger.carrier();
    const id = await aLongMessage();
    const order = await ledger.claimed(id, { ...IN_SEGMENTS, carrierId: removed });
    await ledger.record([
      answer(order, 1, 'accepted', { done: false }),
      answer(order, 2, 'accepted', { done: false }),
      answer(order, 3, 'pending'),
    ]);
    await ledger.database.query('update carrier set removed_at = now() where carrier_id = $1', [removed]);
    const again = await ledger.claimed(id, WHOLE);
    expect(again).toMatchObject({ whole: true, format: null, openPositions: [1] });
    await ledger.record([answer(again, 1, 'accepted')]);
    expect(await ledger.state(id)).toBe('sent');
  });
});
