import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Database, type EventRead, replayEvent, replayRange } from '#persistence';
import { ReceiverAddresses } from '#webhooks';
import { Deliverer } from '../../apps/webhooks/deliverer.js';
import { EventReader, wantedEvents } from '../../apps/webhooks/event-reader.js';
import { WebhookMetrics } from '../../apps/webhooks/webhook-metrics.js';
import { eventually } from '../support/eventually.js';
import { TestLedger } from '../support/test-ledger.js';
import { managerOf, TestReceiver, webhookTo } from '../support/webhooks.js';

const LOOKS = 'from look_for_events(';
const READS = 'from unnest($1::text[], $2::bigint[], $3::xid8[], $4::bigint[], $5::bigint[]';
const READS_AN_EVENT = 'where b.slot = event_slot($1) and b.batch_id = $1';

let ledger: TestLedger;
let receiver: TestReceiver;
let deliverer: Deliverer;
let metrics: WebhookMetrics;
/** The statements that the database has executed. */
let executed: string[] = [];
beforeEach(async () => {
  executed = [];
  metrics = new WebhookMetrics();
  ledger = await TestLedger.create();
  receiver = await TestReceiver.start();
  const { database } = ledger;
  const query: Database['query'] = async <Row>(sql: string, parameters?: readonly unknown[]) => {
    executed.push(sql);
    return database.query<Row>(sql, parameters);
  };
  deliverer = new Deliverer(
    {
      owner: 'a process',
      database: Object.assign(Object.create(database) as Database, { query }),
      log: pino({ level: 'silent' }),
      metrics,
      addresses: new ReceiverAddresses('127.0.0.0/8'),
      timeoutMs: 10_000,
      now: Date.now,
    },
    () => true,
  );
});
afterEach(async () => {
  await deliverer.stop(0);
  await receiver.close();
  await ledger.close();
});

test('the events that wait for a receiver that is away are not read again and again', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(0);
  const { endpointId } = await webhookTo(database, accountId, receiver.url, ['message.sent']);
  receiver.answer = 500;
  await database.query(
    `select write_message_events('sent', array_agg(gen_random_uuid()), array_agg($1::bigint), array_agg(null::text))
       from generate_series(1, 30)`,
    [accountId],
  );
  deliverer.start();
  await eventually(() => expect(deliverer.counts).toMatchObject({ failing: 1, inFlight: 0 }));
  await database.query('update webhook_retry set due_at = now() where endpoint_id = $1', [endpointId]);
  executed = [];
  const count = (kind: string) => executed.filter((sql) => sql.includes(kind)).length;
  await eventually(() => expect(count(LOOKS)).toBeGreaterThan(5));
  // One is tried from time to time.
  expect(count(READS_AN_EVENT)).toBeLessThanOrEqual(2);
});

test('webhooks that have events at the same time share the statements that read them', async () => {
  const { database } = ledger;
  const accountIds: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const accountId = await ledger.account(0);
    await webhookTo(database, accountId, receiver.url, ['message.sent']);
    accountIds.push(accountId);
  }
  const happen = () =>
    database.query(
      `select write_message_events('sent', array_agg(gen_random_uuid()), array_agg(u.id), array_agg(null::text))
         from unnest($1::bigint[]) as u(id)`,
      [accountIds],
    );
  deliverer.start();
  await happen();
  await eventually(() => expect(receiver.taken).toHaveLength(40));
  executed = [];
  await happen();
  await eventually(() => expect(receiver.taken).toHaveLength(80));
  expect(executed.filter((sql) => sql.includes(READS)).length).toBeLessThan(10);
});

test('of large batches a webhook reads a few at a time, so that a slow receiver does not fill the memory', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(0);
  const { endpointId } = await webhookTo(database, accountId, receiver.url, ['message.canceled']);
  await database.query("update event_wish set types = '{message.sent,message.canceled}' where account_id = $1", [
    accountId,
  ]);
  const states = [...Array<string>(12).fill('canceled'), ...Array<string>(12).fill('sent'), 'canceled'];
  for (const state of states) {
    await database.query(
      `select write_message_events($2::order_state, array_agg(gen_random_uuid()), array_agg($1::bigint),
                                   array_agg(null::text)) from generate_series(1, 500)`,
      [accountId, state],
    );
  }
  const reads = await untilRead(new EventReader(database), { endpointId, accountId }, 13 * 500);
  expect(Math.max(...reads)).toBeLessThanOrEqual(1_500);
});

test('a replay of an hour reads what happened around it, and not all that the account has', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(0);
  const { endpointId } = await webhookTo(database, accountId, receiver.url, ['balance.low']);
  const idAt = (daysAgo: number) => BigInt(Date.now() - daysAgo * 86_400_000) << 20n;
  for (let daysAgo = 13; daysAgo > 0; daysAgo -= 1) {
    await database.query(
      `insert into event_batch (slot, batch_id, account_id, type, data)
       select event_slot(n.id), n.id, $1, 'balance.low', '{}'
         from (select $2::bigint + (i * 12000::bigint << 20) as id from generate_series(1, 7000) i offset 0) n`,
      [accountId, String(idAt(daysAgo))],
    );
  }
  const blocks: number[] = [];
  const query: Database['query'] = async <Row>(sql: string, parameters?: readonly unknown[]) => {
    if (sql.includes(READS)) {
      const [plan] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${sql}`,
        parameters,
      );
      const { Plan } = plan?.['QUERY PLAN'][0] ?? { Plan: {} };
      blocks.push((Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0));
    }
    return database.query<Row>(sql, parameters);
  };
  const reader = new EventReader(Object.assign(Object.create(database) as Database, { query }));
  const range = { from: String(idAt(7 - 1 / 24)), until: String(idAt(7 - 2 / 24)) };
  await untilRead(reader, { endpointId, accountId, range }, 300);
  expect(Math.max(...blocks)).toBeLessThan(500);
});

test('the time from an event to its delivery is not counted for replays', async () => {
  const { database } = ledger;
  const accountId = await ledger.account(0);
  const { endpointId } = await webhookTo(database, accountId, receiver.url, ['balance.low']);
  deliverer.start();
  await database.query(`select write_account_event($1, 'balance.low', '{}')`, [accountId]);
  await eventually(() => expect(receiver.taken).toHaveLength(1));
  const range = { from: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) };
  await replayRange(database, endpointId, range, await managerOf(database, accountId));
  await replayEvent(database, endpointId, receiver.taken[0] ?? '', await managerOf(database, accountId));
  await eventually(async () => {
    const attempts = await metrics.attempts.get();
    expect(attempts.values).toMatchObject([{ labels: { outcome: 'delivered' }, value: 3 }]);
  });
  const { values } = await metrics.eventSeconds.get();
  expect(values.filter(({ metricName }) => metricName?.endsWith('_count'))).toMatchObject([{ value: 1 }]);
});

test('attempts are dropped after 30 days, also if they come faster than one slice a minute', async () => {
  const { database } = ledger;
  await database.query(
    `insert into webhook_attempt (endpoint_id, batch_id, index, type, kind, attempt, at, outcome, duration_ms)
     select 'we_0123456789abcdef', n, 0, 'message.sent', 'event', 1, now() - make_interval(days => case when n > 12000 then 29 else 31 end),
            'failed', 1
       from generate_series(1, 12100) n`,
  );
  deliverer.start();
  await eventually(
    async () => {
      const left = await database.query('select count(*)::integer as attempts from webhook_attempt');
      expect(left).toEqual([{ attempts: 100 }]);
    },
    { timeoutMs: 30_000 },
  );
});

/** Reads until it has so many events; returns how many each read had. */
async function untilRead(reader: EventReader, read: Omit<EventRead, 'after'>, wanted: number): Promise<number[]> {
  const events: number[] = [];
  let after = { xid: '0', batchId: '0', index: 0 };
  // A transaction of another spec may hold events back.
  await eventually(async () => {
    for (let isMore = true; isMore; ) {
      const { batches, isEnd } = await reader.read({ ...read, after });
      events.push(batches.reduce((sum, batch) => sum + wantedEvents(batch), 0));
      const last = batches.at(-1);
      if (last !== undefined) after = { xid: last.xid, batchId: last.batchId, index: 0 };
      isMore = !isEnd;
    }
    expect(events.reduce((sum, count) => sum + count, 0)).toBe(wanted);
  });
  return events;
}
