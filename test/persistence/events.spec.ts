import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import {
  addEndpoint,
  dueRetries,
  type EventCursor,
  type EventType,
  endReplay,
  noticeRestoredDatabase,
  type Queryable,
  removeEndpoint,
  replayRange,
  saveProgress,
  tidyWebhooks,
} from '#persistence';
import { EventReader } from '../../apps/webhooks/event-reader.js';
import { EventStream } from '../../apps/webhooks/event-stream.js';
import { eventually } from '../support/eventually.js';
import { untilLockWaits } from '../support/lock-waits.js';
import { answer, receiptFor, TestLedger } from '../support/test-ledger.js';
import { managerOf } from '../support/webhooks.js';

const log = pino({ level: 'silent' });
let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

async function endpointFor(accountId: string, events: readonly EventType[]): Promise<string> {
  const settings = { url: 'https://example.com/', events, description: '' };
  const { endpoint } = await addEndpoint(ledger.database, settings, await managerOf(ledger.database, accountId));
  return endpoint.endpointId;
}

interface EventRow {
  readonly type: string;
  readonly ids: string[];
  readonly codes: string[] | null;
}

const eventsOf = (accountId: string): Promise<EventRow[]> =>
  ledger.database.query<EventRow>(
    'select type, message_ids as ids, codes from event_batch where account_id = $1 order by xid, batch_id',
    [accountId],
  );

/** A message that its carrier took, and then did not deliver. */
async function undelivered(accountId: string): Promise<string> {
  const message = await ledger.queued(accountId);
  await ledger.record([answer(await ledger.claimed(message.id), 1, 'accepted')]);
  await ledger.settle([receiptFor(message, 1, 'undelivered', { code: 'EXPIRED' })]);
  return message.id;
}

describe('events of messages', () => {
  test('are written with their reasons for each change that the account asks for', async () => {
    const accountId = await ledger.account(10);
    await endpointFor(accountId, ['message.sent', 'message.undelivered']);
    const id = await undelivered(accountId);
    expect(await eventsOf(accountId)).toEqual([
      { type: 'message.sent', ids: [id], codes: null },
      { type: 'message.undelivered', ids: [id], codes: ['EXPIRED'] },
    ]);
  });

  test('are one row for all messages of an account that changed together', async () => {
    const [one, other] = [await ledger.account(10), await ledger.account(10)];
    await endpointFor(one, ['message.sent']);
    await endpointFor(other, ['message.sent']);
    const messages = [await ledger.queued(one), await ledger.queued(other), await ledger.queued(one)];
    const claimed = await ledger.claim(messages.map(({ id }) => id));
    await ledger.record(claimed.map((order) => answer(order, 1, 'accepted')));
    const [of, ofOther] = [await eventsOf(one), await eventsOf(other)];
    expect(of.map(({ ids }) => ids.toSorted())).toEqual([[messages[0]?.id, messages[2]?.id].toSorted()]);
    expect(ofOther.map(({ ids }) => ids)).toEqual([[messages[1]?.id]]);
  });

  test('are not written for an account without webhooks, nor after its last one is deleted', async () => {
    const accountId = await ledger.account(10);
    await undelivered(accountId);
    const endpointId = await endpointFor(accountId, ['message.sent']);
    await removeEndpoint(ledger.database, endpointId, await managerOf(ledger.database, accountId));
    await undelivered(accountId);
    expect(await eventsOf(accountId)).toEqual([]);
  });

  test('are written for a webhook that is added while those of an older one are given up', async () => {
    const { database } = ledger;
    const accountId = await ledger.account(10);
    await endpointFor(accountId, ['message.sent']);
    await database.query(
      `update webhook_endpoint set disabled_at = now() - interval '14 days 1 minute', disabled_reason = 'client'
        where account_id = $1`,
      [accountId],
    );
    const { tidied } = await database.transaction(async (other) => {
      // As addEndpoint does it.
      await other.query('select from account where account_id = $1 for no key update', [accountId]);
      await other.query(
        `insert into webhook_endpoint (endpoint_id, account_id, url, events, secret)
         values ('we_0123456789abcdef', $1, 'https://example.com/', '{message.sent}', '')`,
        [accountId],
      );
      await other.query('select refresh_event_wish($1)', [accountId]);
      const tidied = tidyWebhooks(database, 14, 30);
      await untilLockWaits(database, 1);
      return { tidied };
    });
    await tidied;
    const id = await undelivered(accountId);
    expect(await eventsOf(accountId)).toMatchObject([{ type: 'message.sent', ids: [id] }]);
  });

  test('are not written when the change is rolled back', async () => {
    const accountId = await ledger.account(10);
    await endpointFor(accountId, ['message.sent']);
    const order = await ledger.claimed((await ledger.queued(accountId)).id);
    await ledger.record([{ ...answer(order, 1, 'accepted'), epoch: order.epoch - 1 }]);
    expect(await eventsOf(accountId)).toEqual([]);
  });
});

describe('what is kept of events', () => {
  test('a part is emptied once its day is more than 14 days ago, and no other one', async () => {
    const accountId = await ledger.account(10);
    const { database } = ledger;
    await database.query(
      `insert into event_batch (slot, batch_id, account_id, type, data)
       select event_slot(b.id), b.id, $1, 'webhook.test', '{}'
         from (select event_batch_id_at(now() - make_interval(days => d)) as id from generate_series(1, 15) d) b`,
      [accountId],
    );
    await database.query("select empty_old_events(interval '14 days')");
    const left = await database.query<{ days: number }>(
      `select round(extract(epoch from now() - event_time(batch_id)) / 86400)::integer as days
         from event_batch where account_id = $1 order by batch_id desc`,
      [accountId],
    );
    expect(left.map(({ days }) => days)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].slice(0, left.length));
    expect(left.length).toBeGreaterThanOrEqual(13);
    expect(left.length).toBeLessThan(15);
  });

  test('the first event of a day is kept, although nobody had emptied the part of its day', async () => {
    const accountId = await ledger.account(10);
    const { database } = ledger;
    // So that the emptying waits for the event, however long that takes here.
    await database.query("alter function empty_old_events(interval) set lock_timeout = '20s'");
    // Of tomorrow, because the part of today has events of other tests.
    const first = new Date(Date.now() + 86_400_000);
    const happened = (queryable: Queryable, daysBefore: number) =>
      queryable.query(
        `insert into event_batch (slot, batch_id, account_id, type, data)
         select event_slot(b.id), b.id, $1, 'webhook.test', '{}'
           from (select event_batch_id_at($2::timestamptz - make_interval(days => $3)) as id) b`,
        [accountId, first, daysBefore],
      );
    await happened(database, 16);
    const { emptied } = await database.transaction(async (writer) => {
      await happened(writer, 0);
      const emptied = database.query("select empty_old_events(interval '14 days')");
      await untilLockWaits(database, 1);
      return { emptied };
    });
    await emptied;
    expect(await database.query('select from event_batch where event_time(batch_id) = $1', [first])).toHaveLength(1);
  });

  test('a place inside a batch counts in that batch only, also when it is not kept any more', async () => {
    const { database } = ledger;
    const accountId = await ledger.account(10);
    const endpointId = await endpointFor(accountId, ['message.sent']);
    const happen = (count: number) =>
      database.query(
        `select write_message_events('sent', array_agg(gen_random_uuid()), array_agg($1::bigint), array_agg(null::text))
           from generate_series(1, $2)`,
        [accountId, count],
      );
    const reader = new EventReader(database);
    // Events are read when no older transaction of the server is open, whatever its database.
    const next = (place: EventCursor, count: number) =>
      eventually(async () => {
        const stream = new EventStream({ database, reader, log, now: Date.now }, { endpointId, accountId }, place);
        const events = await stream.next();
        return events.length >= count && { stream, events };
      });
    await happen(3);
    const { stream, events: first } = await next({ xid: '0', batchId: '0', index: 0 }, 3);
    for (const { settle } of first.slice(0, 2)) settle();
    const place = stream.cursor;
    await happen(3);
    const { events: rest } = await next(place, 4);
    expect(rest.map(({ index }) => index)).toEqual([2, 0, 1, 2]);
    await database.query('delete from event_batch where batch_id = $1', [first[0]?.batchId]);
    expect((await next(place, 3)).events).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }]);
  });

  test('after a restore into another cluster, what was not delivered comes next', async () => {
    const accountId = await ledger.account(10);
    const endpointId = await endpointFor(accountId, ['message.sent']);
    const first = await undelivered(accountId);
    await noticeRestoredDatabase(ledger.database, true);
    await ledger.database.query('update database_identity set database_oid = 1');
    await ledger.database.query("update event_batch set xid = ('9' || xid::text)::xid8");
    await noticeRestoredDatabase(ledger.database, true);
    const second = await undelivered(accountId);
    const unread = await ledger.database.query<{ ids: string[] }>(
      `select b.message_ids as ids from event_batch b, webhook_progress p
        where p.endpoint_id = $1 and b.account_id = $2 and (b.xid, b.batch_id) > (p.cursor_xid, p.cursor_batch)
        order by b.xid, b.batch_id`,
      [endpointId, accountId],
    );
    expect(unread.map(({ ids }) => ids)).toEqual([[first], [second]]);
  });
});

describe('how far a webhook is', () => {
  const AHEAD = '1000000000';
  const STANDING = {
    failures: 0,
    failingSince: undefined,
    lastSuccessAt: undefined,
    lastError: undefined,
    lastBatch: '1',
  };

  /** A webhook that a process has, with a replay. */
  async function leased(): Promise<{ endpointId: string; replayId: string }> {
    const { database } = ledger;
    const accountId = await ledger.account(0);
    const endpointId = await endpointFor(accountId, ['message.sent']);
    await database.query("update webhook_progress set owner = 'a process', cursor_xid = '1' where endpoint_id = $1", [
      endpointId,
    ]);
    await replayRange(database, endpointId, { from: new Date(0), until: new Date() });
    const [replay] = await database.query<{ id: string }>(
      'select replay_id as id from webhook_replay where endpoint_id = $1',
      [endpointId],
    );
    return { endpointId, replayId: replay?.id ?? '' };
  }

  /** What is stored after a process has stored that both are behind this transaction. */
  async function savedBy(owner: string, { endpointId, replayId }: Awaited<ReturnType<typeof leased>>, xid: string) {
    const cursor = { xid, batchId: '1', index: 0 };
    const [{ server } = { server: '' }] = await ledger.database.query<{ server: string }>(
      'select extract(epoch from pg_postmaster_start_time())::text as server',
    );
    await saveProgress(ledger.database, owner, [
      { ...STANDING, endpointId, cursor, server, replay: { replayId, cursor: { ...cursor, xid: '2' } } },
    ]);
    return ledger.database.query(
      `select p.cursor_xid as event, r.cursor_xid as replay
         from webhook_progress p join webhook_replay r using (endpoint_id) where p.endpoint_id = $1`,
      [endpointId],
    );
  }

  test('is stored by the process that has it, and by no other one', async () => {
    const webhook = await leased();
    expect(await savedBy('another process', webhook, '2')).toEqual([{ event: '1', replay: '0' }]);
    expect(await savedBy('a process', webhook, '2')).toEqual([{ event: '2', replay: '2' }]);
  });

  test('what its owner asks for is sent before what failed', async () => {
    const { database } = ledger;
    const { endpointId } = await leased();
    await database.query(
      `insert into webhook_retry (endpoint_id, batch_id, index, kind, due_at)
       select $1, n, 0, case n when 65 then 'replay' when 66 then 'test' else 'event' end,
              now() - make_interval(secs => 100 - n)
         from generate_series(1, 66) n`,
      [endpointId],
    );
    const due = await dueRetries(database, endpointId, new Date(), 3);
    expect(due.map(({ kind }) => kind)).toEqual(['test', 'replay', 'event']);
  });

  test('a replay is ended by the process that has its webhook, and by no other one', async () => {
    const { endpointId, replayId } = await leased();
    const left = () => ledger.database.query('select from webhook_replay where replay_id = $1', [replayId]);
    expect(await endReplay(ledger.database, 'another process', endpointId, replayId)).toBe(false);
    expect(await left()).toHaveLength(1);
    expect(await endReplay(ledger.database, 'a process', endpointId, replayId)).toBe(true);
    expect(await left()).toHaveLength(0);
  });

  test('is not stored by a process that knows it from before a restore', async () => {
    const { database } = ledger;
    const webhook = await leased();
    await noticeRestoredDatabase(database, false);
    expect(await savedBy('a process', webhook, AHEAD)).toEqual([{ event: '1', replay: '0' }]);
    // Nobody has noticed this one yet.
    await database.query('update database_identity set timeline = timeline + 1');
    expect(await savedBy('a process', webhook, '2')).toEqual([{ event: '1', replay: '0' }]);
    await noticeRestoredDatabase(database, false);
    expect(await savedBy('a process', webhook, '2')).toEqual([{ event: '1', replay: '0' }]);
  });
});
