import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Database, noticeRestoredDatabase, takeEndpoints } from '#persistence';
import type { RunningWebhooks } from '../../apps/webhooks/start-webhooks.js';
import { forgetEventTransactions } from '../../libs/persistence/webhooks/forget-transactions.js';
import { eventually } from '../support/eventually.js';
import { TestLedger } from '../support/test-ledger.js';
import { startTestWebhooks, TestReceiver, webhookTo } from '../support/webhooks.js';

interface Place {
  readonly xid: string;
  readonly batch: string;
}

let ledger: TestLedger;
let receiver: TestReceiver;
let accountId: string;
let webhooks: RunningWebhooks | undefined;
beforeEach(async () => {
  ledger = await TestLedger.create();
  receiver = await TestReceiver.start();
  accountId = await ledger.account(0);
  await webhookTo(ledger.database, accountId, receiver.url, ['balance.low']);
  await noticeRestoredDatabase(ledger.database, true);
});
afterEach(async () => {
  await webhooks?.close();
  webhooks = undefined;
  await receiver.close();
  await ledger.close();
});

/** An event, of this transaction or of its own. */
async function happen(xid?: string): Promise<Place> {
  const [event] = await ledger.database.query<Place>(
    `insert into event_batch (slot, batch_id, account_id, type, data, xid)
     select event_slot(n.id), n.id, $1, 'balance.low', '{}', coalesce($2, pg_current_xact_id())
       from (select next_event_batch_id() as id offset 0) n returning xid, batch_id as batch`,
    [accountId, xid ?? null],
  );
  return event as Place;
}

const arrived = (count: number) => eventually(() => expect(receiver.taken).toHaveLength(count));

/** Waits until this place is stored. */
const stored = ({ xid, batch }: Place) =>
  eventually(async () => {
    const rows = await ledger.database.query('select cursor_xid as xid, cursor_batch as batch from webhook_progress');
    expect(rows).toEqual([{ xid, batch }]);
  });

const place = ({ xid, batch }: Place) =>
  ledger.database.query('update webhook_progress set cursor_xid = $1, cursor_batch = $2, cursor_index = 0', [
    xid,
    batch,
  ]);

/** A second event arrives, and then the database is as it was before it. */
async function restored(before: Place): Promise<{ lost: Place; again: string | undefined }> {
  // The number of a transaction that is given out again after the restore.
  const [row] = await ledger.database.query<{ xid: string }>('select pg_current_xact_id() as xid');
  const lost = await happen();
  await arrived(2);
  await stored(lost);
  await ledger.database.query('delete from event_batch where batch_id = $1', [lost.batch]);
  await place(before);
  return { lost, again: row?.xid };
}

/** What happens after the restore arrives, once. */
async function goesOn(before: Place, lost: Place, again: string | undefined): Promise<void> {
  const after = await happen(again);
  await arrived(3);
  await stored(after);
  expect(receiver.taken).toEqual([before, lost, after].map(({ batch }) => `evt_${batch}_0`));
}

test.each([true, false])(
  'a process that goes on running delivers what happens after a restore to a point in time (hold: %s)',
  async (holds) => {
    webhooks = await startTestWebhooks(ledger.url);
    const before = await happen();
    const { lost, again } = await restored(before);
    await ledger.database.query('update database_identity set timeline = timeline + 1');
    expect(await noticeRestoredDatabase(ledger.database, holds)).toMatchObject({ change: 'timeline' });
    await goesOn(before, lost, again);
  },
);

test('a process that goes on running delivers what happens after the files of the database were copied back', async () => {
  // A server that was started anew tells another time.
  await ledger.database.query("create table server as select '2026-01-01'::timestamptz as started");
  await ledger.database.query(
    `create function public.pg_postmaster_start_time() returns timestamptz
       language sql stable as 'select started from public.server'`,
  );
  await ledger.database.query(
    `do $$ begin
       execute format('alter database %I set search_path = public, pg_catalog', current_database());
     end $$`,
  );
  const startAnew = () => ledger.database.query("update server set started = started + interval '1 day'");
  webhooks = await startTestWebhooks(ledger.url);
  const before = await happen();
  await arrived(1);
  // Nothing is lost, so nothing is told again.
  await startAnew();
  const { lost, again } = await restored(before);
  await startAnew();
  await goesOn(before, lost, again);
});

test('a process whose place is of a transaction that has not begun reads its place from the database', async () => {
  await place({ xid: '1000000000', batch: '0' });
  webhooks = await startTestWebhooks(ledger.url);
  await eventually(async () => {
    expect(await ledger.database.query('select from webhook_progress where owner is not null')).toHaveLength(1);
  });
  await place({ xid: '0', batch: '0' });
  await happen();
  await arrived(1);
});

test('after a restore into another cluster what was not delivered arrives, and only that', async () => {
  const { database } = ledger;
  await place(await happen());
  const missed = await happen();
  await database.query('update event_batch set xid = (xid::text::bigint + 1000000)::text::xid8');
  await database.query('update webhook_progress set cursor_xid = (cursor_xid::text::bigint + 1000000)::text::xid8');
  await database.query('update database_identity set database_oid = 1');
  // A process that has begun to take notice was killed.
  await forgetEventTransactions(database);
  expect(await takeEndpoints(database, 'a process', [])).toEqual([]);
  expect(await noticeRestoredDatabase(database, true)).toMatchObject({ change: 'database' });
  webhooks = await startTestWebhooks(ledger.url);
  const after = await happen();
  await arrived(2);
  expect(receiver.taken).toEqual([missed, after].map(({ batch }) => `evt_${batch}_0`));
});

test('a database with more events than a statement can change is noticed slice by slice', async () => {
  const { database } = ledger;
  await database.query(
    `insert into event_batch (slot, batch_id, account_id, type, data)
     select event_slot(n.id), n.id, $1, 'message.sent', '{}'
       from (select event_batch_id_at(now() - interval '1 hour') + i as id from generate_series(1, 12000) i offset 0) n`,
    [accountId],
  );
  await database.query('update database_identity set database_oid = 1');
  const changed: number[] = [];
  const query: Database['query'] = async <Row>(sql: string, parameters?: readonly unknown[]) => {
    const [before] = await database.query<{ xid: string }>('select pg_current_xact_id() as xid');
    const rows = await database.query<Row>(sql, parameters);
    const [row] = await database.query<{ count: number }>(
      `select count(*)::integer as count from event_batch where xmin::text::bigint > $1`,
      [before?.xid],
    );
    changed.push(row?.count ?? 0);
    return rows;
  };
  await noticeRestoredDatabase(Object.assign(Object.create(database) as Database, { query }), true);
  expect(Math.max(...changed)).toBe(5_000);
  expect(await database.query("select from event_batch where xid <> '0'")).toEqual([]);
});
