import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { margin } from '#operations';
import {
  addCdrLines,
  compareReconciliation,
  importCosts,
  listCosts,
  listDifferences,
  marginLines,
  purgeExpired,
  retainNextSlice,
  setRetention,
  startReconciliation,
  suspendAccount,
} from '#persistence';
import { answer, carrierId, SEGMENT_PRICE, TestLedger } from '../support/test-ledger.js';
import { sent, submitting } from './submitted-orders.js';

const [FIRST, SECOND] = [new Date('2025-03-01T00:00:00Z'), new Date('2025-03-15T00:00:00Z')];
const costs = (cost: bigint, special: bigint) => [
  { prefix: '49', price: cost },
  { prefix: '4915', price: special },
];

let ledger: TestLedger;
let carrier: string;
beforeAll(async () => {
  ledger = await TestLedger.create();
  const [row] = await ledger.database.query<{ name: string }>('select name from carrier where carrier_id = $1', [
    ledger.carrierId,
  ]);
  carrier = row?.name ?? '';
  await importCosts(ledger.database, { carrier, currency: 'EUR', validFrom: FIRST, rates: costs(4_000n, 3_000n) });
  await importCosts(ledger.database, { carrier, currency: 'EUR', validFrom: SECOND, rates: costs(6_000n, 3_500n) });
  const accountId = await ledger.account(100);
  const send = async (destination: string, at: string, kind: 'accepted' | 'refused' = 'accepted') => {
    const { id } = await ledger.queued(accountId, 2, { destination });
    const [order] = await ledger.claim([id], { whole: true });
    if (order === undefined) throw new Error(`${id} could not be claimed`);
    await ledger.record([answer(order, 1, kind)]);
    await ledger.database.query('update segment set accepted_at = $2, submitted_at = $2 where message_id = $1', [
      id,
      at,
    ]);
  };
  // Two segments each.
  await send('491700000001', '2025-03-14T23:59:59.999999Z');
  await send('491700000002', '2025-03-15T00:00:00Z');
  await send('491510000001', '2025-03-20T12:00:00Z');
  await send('491510000002', '2025-03-20T12:00:00Z', 'refused');
  await send('46700000001', '2025-03-20T12:00:00Z');
  await send('491700000003', '2025-04-01T00:00:00Z');
});
afterAll(async () => {
  await ledger.expectClean();
  await ledger.close();
});

test('the margin of a month is the price less the costs that held when the carrier took each segment', async () => {
  const revenue = (segments: bigint) => segments * SEGMENT_PRICE;
  const { lines, totals } = await margin(ledger.database, { month: '2025-03' });
  const cost = 2n * (4_000n + 6_000n + 3_500n);
  expect(lines).toEqual([
    {
      carrier,
      destination: '46',
      currency: 'EUR',
      segments: 2,
      revenue: revenue(2n),
      costCurrency: null,
      cost: 0n,
      segmentsWithoutCost: 2,
      margin: null,
    },
    {
      carrier,
      destination: '49',
      currency: 'EUR',
      segments: 6,
      revenue: revenue(6n),
      costCurrency: 'EUR',
      cost,
      segmentsWithoutCost: 0,
      margin: revenue(6n) - cost,
    },
  ]);
  expect(totals).toEqual([{ currency: 'EUR', revenue: revenue(6n), cost, margin: revenue(6n) - cost }]);
});

test('costs can be replaced after the month, and are shown as of a moment', async () => {
  expect(await listCosts(ledger.database, carrier, new Date('2025-03-02T00:00:00Z'))).toMatchObject({
    validFrom: FIRST,
    costs: [{ prefix: '49', cost: 4_000n }, { prefix: '4915' }],
  });
  await importCosts(ledger.database, { carrier, currency: 'USD', validFrom: SECOND, rates: costs(1n, 1n) });
  const lines = await marginLines(ledger.database, FIRST, SECOND);
  expect(lines).toMatchObject([{ destination: '49', segments: 2, cost: 8_000n }]);
  const { lines: all, totals } = await margin(ledger.database, { month: '2025-03' });
  expect(all.map(({ costCurrency, margin: left }) => [costCurrency, left])).toEqual([
    [null, null],
    ['EUR', 2n * (SEGMENT_PRICE - 4_000n)],
    ['USD', null],
  ]);
  expect(totals).toHaveLength(1);
  await expect(
    importCosts(ledger.database, { carrier: 'nobody', currency: 'EUR', validFrom: FIRST, rates: costs(1n, 1n) }),
  ).rejects.toThrow('there is no carrier nobody');
});

test('a segment that is taken after its message has failed has a cost, and was not billed', async () => {
  const { database } = ledger;
  const { account, order } = await submitting(ledger, 3, { destination: '48700000001' });
  const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
  await ledger.record([answer(order, 1, 'in_doubt'), answer(order, 2, 'accepted'), answer(order, 3, 'accepted')]);
  await ledger.age(order.id, 31);
  await ledger.sweep();
  await suspendAccount(database, account, 'refund');
  await ledger.record([answer(order, 1, 'accepted')]);
  expect(await ledger.figures(account)).toMatchObject({ captured: 2n * SEGMENT_PRICE, reserved: 0n });
  const lines = await marginLines(database, from, to);
  expect(lines).toMatchObject([{ destination: '48', segments: 3, revenue: 2n * SEGMENT_PRICE }]);

  const settings = { currency: undefined, unitCost: undefined, tolerance: 0n, edgeSeconds: 0 };
  const id = await startReconciliation(database, { carrier, ...settings, from, to });
  const cdr = [1, 2, 3].map((n) => ({ line: n, carrierMessageId: carrierId(order.id, n), parts: 1 }));
  await addCdrLines(
    database,
    id,
    cdr.map((line) => ({ ...line, cost: undefined, at: undefined })),
  );
  expect(await compareReconciliation(database, id)).toMatchObject({
    kinds: [
      { kind: 'equal', ids: 2 },
      { kind: 'refunded', ids: 1 },
    ],
    billed: [{ currency: 'EUR', amount: 2n * SEGMENT_PRICE }],
  });
  expect(await listDifferences(database, id, 9)).toMatchObject([{ firstLine: 1, billed: 0n }]);
});

test('an id that the carrier has used again means the message of the period, else the newest one', async () => {
  const { database } = ledger;
  const account = await ledger.account(4);
  const take = async (id: string, daysAgo: number) => {
    const order = await ledger.claimed((await ledger.queued(account)).id);
    await ledger.record([answer(order, 1, 'accepted', { answer: id })]);
    await database.query(
      `update segment set submitted_at = submitted_at - p, accepted_at = accepted_at - p
         from make_interval(days => $2) p where message_id = $1`,
      [order.id, daysAgo],
    );
    return order.id;
  };
  await take('again-1', 40);
  const ofPeriod = await take('again-1', 0);
  await take('again-2', 40);
  const newest = await take('again-2', 20);
  const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
  const wanted = { carrier, currency: 'EUR', unitCost: 2n, tolerance: 0n, edgeSeconds: 0, from, to };
  const id = await startReconciliation(database, wanted);
  const lines = ['again-1', 'again-2'].map((carrierMessageId, n) => ({ line: n + 1, carrierMessageId, parts: 1 }));
  await addCdrLines(
    database,
    id,
    lines.map((line) => ({ ...line, cost: 1n, at: undefined })),
  );
  await compareReconciliation(database, id);
  const found = await listDifferences(database, id, 9);
  expect(found.filter(({ carrierMessageId }) => carrierMessageId.startsWith('again'))).toMatchObject([
    { kind: 'cost', messageId: ofPeriod, sentSegments: 1, expectedCost: 2n, chargedCost: 1n },
    { kind: 'cost', messageId: newest, sentSegments: 1, expectedCost: 2n, chargedCost: 1n },
  ]);
});

test('margin and reconciliation put no texts on the disk of the database', async () => {
  const { database } = ledger;
  // Compressed it would be small.
  const message = randomBytes(153 * 255)
    .toString('base64url')
    .slice(0, 153 * 255);
  await sent(ledger, 255, { destination: '48700000002', message });
  const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
  const wanted = { carrier, currency: undefined, unitCost: undefined, tolerance: 0n, edgeSeconds: 0, from, to };
  const id = await startReconciliation(database, wanted);
  for (const [sql, values] of [
    ['select * from margin($1, $2)', [from, to]],
    ['select compare_reconciliation($1)', [id]],
  ] as const) {
    const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
      values,
    );
    expect(row?.['QUERY PLAN'][0].Plan).toMatchObject({ 'Temp Written Blocks': 0 });
  }
});

test('what a killed `smsctl reconcile` has left goes in slices after a week', async () => {
  const { database } = ledger;
  const wanted = { carrier, currency: undefined, unitCost: undefined, tolerance: 0n, edgeSeconds: 0, from: FIRST };
  const [old, young] = [
    await startReconciliation(database, { ...wanted, to: SECOND }),
    await startReconciliation(database, { ...wanted, to: SECOND }),
  ];
  await database.query(
    `update reconciliation set created_at = now() - interval '8 days' where reconciliation_id = $1`,
    [old],
  );
  for (const table of ['cdr_line (reconciliation_id, parts, ', 'cdr_difference (reconciliation_id, kind, ']) {
    const [column, first] = table.startsWith('cdr_line') ? ['line', 1] : ['number', 'extra'];
    await database.query(
      `insert into ${table} carrier_message_id, ${column})
       select id, $2, n::text, n from unnest($1::text[]) id cross join generate_series(1, 25) n`,
      [[old, young], first],
    );
  }
  const left = async (id: string) => {
    const [row] = await database.query(
      `select (select count(*)::integer from reconciliation where reconciliation_id = $1) as reconciliations,
              (select count(*)::integer from cdr_line where reconciliation_id = $1) as lines,
              (select count(*)::integer from cdr_difference where reconciliation_id = $1) as differences`,
      [id],
    );
    return row;
  };
  expect(await purgeExpired(database, 48, 10)).toBe(true);
  expect(await left(old)).toEqual({ reconciliations: 1, lines: 15, differences: 15 });
  while (await purgeExpired(database, 48, 10));
  expect(await left(old)).toEqual({ reconciliations: 0, lines: 0, differences: 0 });
  expect(await left(young)).toEqual({ reconciliations: 1, lines: 25, differences: 25 });
});

test('a month whose messages were dropped is known, also when messages are kept for ever again', async () => {
  const { database } = ledger;
  const { id } = await ledger.queued(await ledger.account(1));
  await ledger.record([answer(await ledger.claimed(id), 1, 'refused')]);
  const at = new Date('2025-02-28T23:59:59Z');
  await database.query('update message_order set created_at = $2, final_at = $2 where id = $1', [id, at]);
  const wanted = { carrier, currency: 'EUR', unitCost: undefined, tolerance: 0n, to: undefined, edgeSeconds: 300 };
  const compare = (from: Date) => startReconciliation(database, { ...wanted, from });
  await setRetention(database, { rowDays: 30 });
  expect((await margin(database, { month: '2025-03' })).isWhole).toBe(false);
  await expect(compare(FIRST)).rejects.toThrow('retention has dropped messages');
  for (let after: string | undefined = '0'; after !== undefined; ) {
    after = (await retainNextSlice(database, after, 10)).accountId;
  }
  await setRetention(database, { rowDays: null });
  const whole = async (month: string) => (await margin(database, { month })).isWhole;
  expect([await whole('2025-01'), await whole('2025-02'), await whole('2025-03')]).toEqual([true, false, true]);
  await expect(compare(at)).rejects.toThrow('retention has dropped messages');
  await compare(FIRST);
});
