import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ANY_CARRIER, beginWalk, finishTurns, putInBacklog, sweepOrders, takeTurn } from '#persistence';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.js';
import { answer, batchOf, TestLedger } from '../support/test-ledger.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
beforeEach(() => ledger.forgetOpenWork());
afterAll(() => ledger.close());

/** A batch of so many messages; their ids in order. */
async function batch(count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, () => ledger.message(1));
  expect(await ledger.accept(await ledger.account(count), [batchOf(messages)])).toEqual([{ kind: 'accepted' }]);
  return messages.map(({ id }) => id);
}

/** Single orders of one account, on no queue and in no backlog. */
async function singles(count: number): Promise<string[]> {
  const account = await ledger.account(count);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await ledger.queued(account)).id);
  return ids;
}

async function dueInSeconds(id: string): Promise<number> {
  const [row] = await ledger.database.query<{ seconds: number }>(
    'select extract(epoch from due_at - now())::float8 as seconds from message_order where id = $1',
    [id],
  );
  return row?.seconds ?? Number.NaN;
}

test('the sweeper offers no order that waits for its account’s turn, whatever is said of the queue', async () => {
  const ids = await singles(20);
  await putInBacklog(ledger.database, ids, ANY_CARRIER, 'single');
  for (const id of ids) await ledger.age(id, 5);
  expect(await ledger.sweep({ queueIsEmpty: true })).toEqual([]);
  for (const id of ids) await ledger.age(id, 6);
  expect(await ledger.sweep()).toEqual([]);
});

test('the sweeper looks at such an order once, and not at all at one that came in a batch', async () => {
  const [single = ''] = await singles(1);
  await putInBacklog(ledger.database, [single], ANY_CARRIER, 'single');
  expect(await dueInSeconds(single)).toBeLessThan(11);
  await ledger.age(single, 11);
  await ledger.sweep();
  const ids = await batch(2);
  // The end of their validity, here an hour.
  for (const id of [single, ...ids]) expect(await dueInSeconds(id)).toBeGreaterThan(3_000);
});

test('what comes back to the queue while a worker has its turn in hand, or had, is looked at soon and offered when the turn is over', async () => {
  const ids = await batch(2);
  const [first = ''] = ids;
  const taken = { carrierId: ANY_CARRIER, workerId: 'w', segmentsMax: 100, turns: 1, except: [], done: [] };
  const [piece] = await takeTurn(ledger.database, taken);
  const order = await ledger.claimed(first);
  await ledger.record([answer(order, 1, 'pending', { retryAfterMs: 0 })]);
  await ledger.age(first, 3);
  expect(await ledger.sweep()).toEqual([]);
  expect(await dueInSeconds(first)).toBeLessThan(60);

  await finishTurns(ledger.database, 'w', [piece?.backlogId ?? '']);
  await ledger.age(first, 60);
  expect(await ledger.sweep()).toEqual([first]);
});

test('the sweeper looks at what a worker has taken from a backlog a minute after its lease', async () => {
  const ids = await batch(2);
  await ledger.claimed(ids[0] ?? '');
  const [row] = await ledger.database.query<{ seconds: number }>(
    'select extract(epoch from due_at - lease_until)::float8 as seconds from message_order where id = $1',
    [ids[0]],
  );
  expect(row?.seconds).toBeCloseTo(60);
});

test('the sweeper offers what is in no backlog, in slices, once each', async () => {
  const ids = await singles(40);
  for (const id of ids) await ledger.age(id, 5);
  const offered = await ledger.sweep({ queueIsEmpty: true, limit: 7 });
  expect(offered.sort()).toEqual([...ids].sort());
});

test('the sweeper does not look again at what a walk over an empty queue has looked at, unless it is to look at all', async () => {
  const [waiting = ''] = await singles(1);
  await putInBacklog(ledger.database, [waiting], ANY_CARRIER, 'single');
  await ledger.age(waiting, 5);
  const settings = { limit: 10, sweepAfterSeconds: 10, inDoubtWaitSeconds: 30, receiptDeadlineSeconds: 60 };
  const { offered, walk, walkedTo } = await sweepOrders(ledger.database, beginWalk(undefined), settings);
  expect({ offered, walk }).toEqual({ offered: [], walk: undefined });

  // Now nothing points at it; a later walk would offer it.
  await ledger.database.query('delete from dispatch_backlog');
  const [late = ''] = await singles(1);
  await ledger.age(late, 3);
  const next = await sweepOrders(ledger.database, beginWalk(walkedTo), settings);
  expect(next.offered.map(({ id }) => id)).not.toContain(waiting);
  const all = await sweepOrders(ledger.database, beginWalk(undefined), settings);
  expect(all.offered.map(({ id }) => id)).toContain(waiting);
});

test('a walk over an empty queue keeps up with new orders only while it finds something; the first one looks at all', async () => {
  const ids = await singles(6);
  await putInBacklog(ledger.database, ids, ANY_CARRIER, 'single');
  for (const id of ids) await ledger.age(id, 5);
  const walk = async (after: string, limit: number) => {
    const [row] = await ledger.database.query<{ goes_on: boolean; offered: string[] }>(
      `select stranded_from is not null as goes_on, offered
         from sweep_orders($2, '10 s', '30 s', '60 s', true, p_stranded_after => $1, p_looks_max => 2)`,
      [after, limit],
    );
    return { goesOn: row?.goes_on, offered: row?.offered.length };
  };
  expect(await walk('-infinity', 10)).toEqual({ goesOn: true, offered: 0 });
  expect(await walk('2000-01-01', 10)).toEqual({ goesOn: false, offered: 0 });
  await ledger.database.query('delete from dispatch_backlog');
  expect(await walk('2000-01-01', 2)).toEqual({ goesOn: true, offered: 2 });
});

/** What a row of the backlog points at: a range of an account's sequences, or some of it. */
const ROW = fc.record({
  account: fc.integer({ min: 1, max: 2 }),
  sequences: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
  isRange: fc.boolean(),
  isTaken: fc.boolean(),
});

test(
  'what is said of many orders at once is what is said of each',
  async () => {
    const orders = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 })), {
      maxLength: 40,
    });
    // As many as are looked at for one order.
    const rows = fc.array(ROW, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, orders, async (backlog, asked) => {
        await ledger.database.query('delete from dispatch_backlog');
        await ledger.database.query(
          `insert into dispatch_backlog (account_id, lane, first_sequence, last_sequence, sequences, owner)
           select r.account, 0, r.low, r.high, r.sequences, r.owner
             from jsonb_to_recordset($1) as r(account bigint, low bigint, high bigint, sequences bigint[], owner text)`,
          [
            JSON.stringify(
              backlog.map(({ account, sequences, isRange, isTaken }) => ({
                account,
                low: Math.min(...sequences),
                high: Math.max(...sequences),
                sequences: isRange ? null : [...sequences].sort((a, b) => a - b),
                owner: isTaken ? 'a worker' : null,
              })),
            ),
          ],
        );
        const [row] = await ledger.database.query<{ together: (string | null)[]; each: (string | null)[] }>(
          `select places_in_backlog($1::bigint[], $2::bigint[]) as together,
                  array(select place_in_backlog(u.account, u.sequence)
                          from unnest($1::bigint[], $2::bigint[]) with ordinality as u(account, sequence, n) order by u.n) as each`,
          [asked.map(([account]) => account), asked.map(([, sequence]) => sequence)],
        );
        expect(row?.together).toEqual(row?.each);
      }),
      fuzz(200),
    );
  },
  FUZZ_TIMEOUT_MS,
);
