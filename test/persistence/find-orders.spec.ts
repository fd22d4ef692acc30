import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ORDER_STATES, type OrderState } from '#billing';
import { cancelOrders, findOrders, type OrderFilters, type OrderItem, type PricedMessage } from '#persistence';
import { answer, batchOf, receiptFor, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

/** Brings a message where it is wanted. */
async function bring(accountId: string, message: PricedMessage, to: OrderState): Promise<void> {
  if (to === 'scheduled' || to === 'queued') return;
  if (to === 'canceled') {
    await cancelOrders(ledger.database, accountId, [message.id]);
    return;
  }
  const order = await ledger.claimed(message.id);
  if (to === 'sending') return;
  await ledger.record([answer(order, 1, to === 'failed' ? 'refused' : 'accepted')]);
  if (to === 'delivered' || to === 'undelivered') await ledger.settle([receiptFor(message, 1, to)]);
  if (to !== 'unknown') return;
  await ledger.age(message.id, 1_000_000);
  await ledger.database.query('update message_order set due_at = now() where id = $1', [message.id]);
  await ledger.sweep();
}

const idsOf = (items: readonly OrderItem[]) => items.map(({ id }) => id);

/** All pages, one cursor after the other. */
async function walk(accountId: string, limit: number, filters: OrderFilters): Promise<string[]> {
  const ids: string[] = [];
  let before: number | undefined;
  for (;;) {
    const { items, next } = await findOrders(ledger.database, accountId, { page: 1, limit, before }, filters);
    expect(items.length).toBeLessThanOrEqual(limit);
    ids.push(...idsOf(items));
    if (next === undefined) return ids;
    before = next;
  }
}

describe('messages of an account that has some of every kind', () => {
  const MESSAGES = 84;
  const NUMBERS = ['46700000001', '46700000002', '46700000003'];
  let accountId: string;
  let sent: (PricedMessage & { state: OrderState })[];

  beforeAll(async () => {
    accountId = await ledger.account(1_000);
    const stranger = await ledger.account(10);
    sent = [];
    for (let n = 0; n < MESSAGES; n += 1) {
      const destination = NUMBERS[n % 3] as string;
      const reference = n % 5 === 0 ? `order-${n % 10}` : undefined;
      const tag = n % 2 === 0 ? `campaign-${n % 4}` : undefined;
      const state = ORDER_STATES[n % ORDER_STATES.length] as OrderState;
      const sendAt = state === 'scheduled' ? new Date(Date.now() + 3_600_000) : undefined;
      const message = ledger.message(1, { destination, recipient: `+${destination}`, reference, tag, sendAt });
      await ledger.accept(accountId, [batchOf([message])]);
      await bring(accountId, message, state);
      sent.push({ ...message, state });
    }
    const theirs = ledger.message(1, { destination: NUMBERS[0] as string, reference: 'order-0', tag: 'campaign-0' });
    await ledger.accept(stranger, [batchOf([theirs])]);
  });

  const fits = (filters: OrderFilters) =>
    sent
      .filter(
        ({ state, destination, reference, tag }) =>
          (filters.state ?? state) === state &&
          (filters.destination ?? destination) === destination &&
          (filters.reference === undefined || filters.reference === reference) &&
          (filters.tag === undefined || filters.tag === tag),
      )
      .map(({ id }) => id)
      .reverse();

  const some = <Value>(values: readonly Value[]) => [undefined, ...values];
  const COMBINATIONS: OrderFilters[] = some(ORDER_STATES).flatMap((state) =>
    some(NUMBERS.slice(0, 1)).flatMap((destination) =>
      some(['order-0', 'order-9']).flatMap((reference) =>
        some(['campaign-2']).map((tag) => ({ state, destination, reference, tag })),
      ),
    ),
  );

  test('are found by every combination of filters, each once, newest first, by cursors', async () => {
    for (const filters of COMBINATIONS) {
      expect({ filters, ids: await walk(accountId, 3, filters) }).toEqual({ filters, ids: fits(filters) });
    }
  });

  test('are found by page numbers as well, with the exact total', async () => {
    for (const filters of COMBINATIONS) {
      const expected = fits(filters);
      const pages = await Promise.all(
        [1, 2, 3].map((page) => findOrders(ledger.database, accountId, { page, limit: 4 }, filters)),
      );
      expect(pages.flatMap(({ items }) => idsOf(items))).toEqual(expected.slice(0, 12));
      for (const { total, isCapped } of pages)
        expect({ total, isCapped }).toEqual({ total: expected.length, isCapped: false });
      expect(pages[0]?.next === undefined).toBe(expected.length <= 4);
    }
  });

  test('carry their references and tags', async () => {
    const { items } = await findOrders(ledger.database, accountId, { page: 1, limit: 100 });
    expect(items.map(({ id, reference, tag }) => ({ id, reference, tag }))).toEqual(
      sent.map(({ id, reference, tag }) => ({ id, reference, tag })).reverse(),
    );
  });

  test('are cut by times of acceptance: from is included, to is not', async () => {
    const { items } = await findOrders(ledger.database, accountId, { page: 1, limit: 100 });
    // Those that were aged for their receipts are older than their neighbours; the others are in order.
    const rows = await ledger.database.query<{ id: string; at: Date; sequence: string }>(
      "update message_order set created_at = date_trunc('milliseconds', now()) - make_interval(secs => 1000 - sequence) where account_id = $1 returning id, created_at as at, sequence",
      [accountId],
    );
    const at = new Map(rows.map((row) => [row.id, row.at]));
    const [from, to] = [at.get(sent[20]?.id ?? ''), at.get(sent[30]?.id ?? '')];
    const between = idsOf(items).reverse().slice(20, 30).reverse();
    expect(await walk(accountId, 4, { from, to })).toEqual(between);
    const page = await findOrders(ledger.database, accountId, { page: 2, limit: 4 }, { from, to });
    expect(page).toMatchObject({ total: 10, isCapped: false });
    expect(idsOf(page.items)).toEqual(between.slice(4, 8));
    expect(await walk(accountId, 4, { from, to, state: 'failed' })).toEqual(
      fits({ state: 'failed' }).filter((id) => between.includes(id)),
    );
    expect(await walk(accountId, 4, { from: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await walk(accountId, 4, { to: new Date(0) })).toEqual([]);
  });

  test('a late receipt moves a message from the unknown ones to the delivered ones', async () => {
    const late = sent.findLast(({ state }) => state === 'unknown');
    if (late === undefined) throw new Error('there is no unknown message');
    expect(await walk(accountId, 50, { state: 'unknown' })).toContain(late.id);
    await ledger.settle([receiptFor(late, 1, 'delivered')]);
    expect(await walk(accountId, 50, { state: 'unknown' })).not.toContain(late.id);
    expect(await walk(accountId, 50, { state: 'delivered' })).toContain(late.id);
  });

  test('a new message shifts no page that is walked by cursors', async () => {
    const first = await findOrders(ledger.database, accountId, { page: 1, limit: 5 });
    await ledger.queued(accountId);
    const { next: before } = first;
    const second = await findOrders(ledger.database, accountId, { page: 1, limit: 5, before });
    expect(idsOf(second.items)).toEqual(
      idsOf((await findOrders(ledger.database, accountId, { page: 1, limit: 11 })).items).slice(6),
    );
  });
});

describe('a search that finds little among many', () => {
  const MANY = 11_000;
  let accountId: string;
  let oldest: PricedMessage;

  beforeAll(async () => {
    accountId = await ledger.account(MANY + 10);
    oldest = await ledger.queued(accountId);
    await bring(accountId, oldest, 'delivered');
    for (let n = 0; n < MANY; n += 1_000) {
      const messages = Array.from({ length: 1_000 }, () => ledger.message(1, { tag: 'all' }));
      await ledger.accept(accountId, [batchOf(messages)]);
    }
  });

  test('answers what it has examined so far, and where to go on', async () => {
    const first = await findOrders(ledger.database, accountId, { page: 1, limit: 20 }, { state: 'delivered' });
    expect(first).toMatchObject({ items: [], total: 0, isCapped: true });
    expect(first.next).toBeGreaterThanOrEqual(MANY + 1 - 4_999);
    expect(first.next).toBeLessThanOrEqual(MANY + 1 - 499);
    const second = await findOrders(
      ledger.database,
      accountId,
      { page: 1, limit: 20, before: first.next },
      { state: 'delivered' },
    );
    expect(second.items).toEqual([]);
    expect(second.next).toBeLessThanOrEqual((first.next ?? 0) - 500);
    expect(await walk(accountId, 20, { state: 'delivered' })).toEqual([oldest.id]);
    expect(await walk(accountId, 20, { state: 'delivered', tag: 'all' })).toEqual([]);
  });

  test('counts no more than 1,000, and its pages by number end there; a cursor goes on', async () => {
    const page = (number: number) =>
      findOrders(ledger.database, accountId, { page: number, limit: 100 }, { tag: 'all' });
    const tenth = await page(10);
    expect(tenth).toMatchObject({ total: 1_000, isCapped: true });
    expect(tenth.items).toHaveLength(100);
    const beyond = await page(11);
    expect(beyond).toMatchObject({ items: [], total: 1_000, isCapped: true, next: tenth.next });
    const next = await findOrders(
      ledger.database,
      accountId,
      { page: 1, limit: 100, before: beyond.next },
      { tag: 'all' },
    );
    expect(next.items).toHaveLength(100);
    expect(await walk(accountId, 100, { tag: 'all' })).toHaveLength(MANY);
  });
});
