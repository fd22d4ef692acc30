import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '#persistence';
import { ReceiverAddresses } from '#webhooks';
import { Deliverer } from '../../apps/webhooks/deliverer.js';
import { WebhookMetrics } from '../../apps/webhooks/webhook-metrics.js';
import { eventually } from '../support/eventually.js';
import { TestLedger } from '../support/test-ledger.js';
import { TestReceiver, webhookTo } from '../support/webhooks.js';

const LOOKS = 'from look_for_events(';
const READS = 'from unnest($1::text[], $2::bigint[], $3::xid8[], $4::bigint[], $5::bigint[]';
const READS_AN_EVENT = 'where b.slot = event_slot($1) and b.batch_id = $1';

let ledger: TestLedger;
let receiver: TestReceiver;
let deliverer: Deliverer;
/** The statements that the database has executed. */
let executed: string[] = [];
beforeEach(async () => {
  executed = [];
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
      metrics: new WebhookMetrics(),
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
