import { once as onceEvent } from 'node:events';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import {
  changeEndpoint,
  type Database,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listAttempts,
  sendTestEvent,
} from '#persistence';
import { ReceiverAddresses } from '#webhooks';
import { Deliverer } from '../../apps/webhooks/deliverer.js';
import { WebhookMetrics } from '../../apps/webhooks/webhook-metrics.js';
import { eventually } from '../support/eventually.js';
import { TestLedger } from '../support/test-ledger.js';
import { managerOf, TestReceiver, webhookTo } from '../support/webhooks.js';

const TAKES = 'update webhook_progress p set owner = $1 from free';
const LEASES = 'where p.owner = $1 and e.disabled_at is null';
const GIVES_BACK = 'update webhook_progress set owner = null';
const SAVES = 'set cursor_xid = n.xid';
const RECORDS = 'insert into webhook_attempt';
const FINDS_REPLAY = 'select * from webhook_replay';

let ledger: TestLedger;
let receiver: TestReceiver;
let accountId: string;
let metrics: WebhookMetrics;
let deliverer: Deliverer | undefined;
/** How often a webhook was taken. */
let taken = 0;
/** The statements that the database has executed. */
let executed: string[] = [];
beforeEach(async () => {
  ledger = await TestLedger.create();
  receiver = await TestReceiver.start();
  accountId = await ledger.account(0);
  metrics = new WebhookMetrics();
  taken = 0;
  executed = [];
});
afterEach(async () => {
  await deliverer?.stop(0);
  await receiver.close();
  await ledger.close();
});

/** Starts a deliverer; the database refuses those of its statements for which `refuses` says so, as soon as it does. */
function start(refuses: (sql: string) => boolean | Promise<boolean> = () => false, timeoutMs = 1_000): void {
  const { database } = ledger;
  const query: Database['query'] = async <Row>(sql: string, parameters?: readonly unknown[]) => {
    if (await refuses(sql)) throw new Error('the connection was lost');
    const rows = await database.query<Row>(sql, parameters);
    executed.push(sql);
    if (sql.includes(TAKES)) taken += rows.length;
    return rows;
  };
  deliverer = new Deliverer(
    {
      owner: 'a process',
      database: Object.assign(Object.create(database) as Database, { query }),
      log: pino({ level: 'silent' }),
      metrics,
      addresses: new ReceiverAddresses('127.0.0.0/8'),
      timeoutMs,
      now: Date.now,
    },
    () => true,
  );
  deliverer.start();
}

/** Says yes to the first statement of a kind, once `isArmed`. */
function once(kind: string, isArmed = () => true): (sql: string) => boolean {
  let isOver = false;
  return (sql) => {
    const refuses = !isOver && isArmed() && sql.includes(kind);
    isOver ||= refuses;
    return refuses;
  };
}

const webhook = async () => (await webhookTo(ledger.database, accountId, receiver.url, ['message.sent'])).endpointId;

/** So many messages changed in one transaction. */
const happen = (count: number, state = 'sent') =>
  ledger.database.query(
    `select write_message_events($3, array_agg(gen_random_uuid()), array_agg($1::bigint), array_agg(null::text))
       from generate_series(1, $2)`,
    [accountId, count, state],
  );

const arrived = (count: number) => eventually(() => expect(receiver.taken).toHaveLength(count));
const heldBy = async (owner: string | null) =>
  (await ledger.database.query('select from webhook_progress where owner is not distinct from $1', [owner])).length;
const disabledIn = async () =>
  (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('heliograph_webhook_disabled_total{'));

test('a webhook that answers 410 is disabled as soon as the database stores that, and told so only then', async () => {
  const { database } = ledger;
  const endpointId = await webhook();
  await database.query('create sequence refusal');
  await database.query(`create function refuse() returns trigger language plpgsql as $$
    begin perform nextval('refusal'); raise exception 'not now'; end $$`);
  await database.query(
    'create trigger refuse before update on webhook_endpoint for each row execute function refuse()',
  );
  receiver.answer = 410;
  await happen(1);
  start();
  await eventually(async () => {
    expect(await database.query('select from refusal where is_called')).toHaveLength(1);
  });
  expect(await disabledIn()).toEqual([]);
  await database.query('drop trigger refuse on webhook_endpoint');
  await eventually(async () => {
    expect(await findEndpoint(database, endpointId)).toMatchObject({ disabledReason: 'gone' });
    expect(await disabledIn()).toEqual([expect.stringMatching(/reason="gone".* 1$/)]);
  });
  receiver.answer = 200;
  await enableEndpoint(database, endpointId, 'cursor', await managerOf(database, accountId));
  await arrived(1);
});

test('a place that the database stores late brings no event twice to a webhook that is enabled again', async () => {
  const { database } = ledger;
  const endpointId = await webhook();
  const end = new AbortController();
  receiver.answer = { status: 410, until: onceEvent(end.signal, 'abort').then(() => undefined) };
  await happen(1);
  const done = (kind: string) => executed.filter((sql) => sql.includes(kind)).length;
  let saves = 0;
  start(async (sql) => {
    if (!sql.includes(SAVES) || ++saves > 1) return false;
    // The first one is of before the failure. It waits for that, and for a newer place if one is on its way meanwhile.
    end.abort();
    await eventually(() => expect(done(RECORDS)).toBe(1));
    if (saves > 1) await eventually(() => expect(done(SAVES)).toBe(1));
    return false;
  });
  await eventually(async () => {
    expect(await findEndpoint(database, endpointId)).toMatchObject({ disabledReason: 'gone' });
    expect(done(SAVES)).toBe(2);
  });
  receiver.answer = 200;
  await enableEndpoint(database, endpointId, 'cursor', await managerOf(database, accountId));
  await arrived(1);
  await happen(1);
  await eventually(() => expect(new Set(receiver.taken).size).toBe(2));
  await deliverer?.stop(1_000);
  expect(receiver.taken).toHaveLength(2);
});

test('events that were read before a fault are sent, even if they are too many to read more', async () => {
  const endpointId = await webhook();
  await happen(200);
  await sendTestEvent(ledger.database, endpointId, await managerOf(ledger.database, accountId));
  start(once(FINDS_REPLAY));
  await arrived(201);
});

test('a webhook that is disabled and enabled again is delivered, even if the process that takes it again fails at first', async () => {
  const endpointId = await webhook();
  const manager = await managerOf(ledger.database, accountId);
  start(once(LEASES, () => taken === 2));
  await happen(1);
  await arrived(1);
  receiver.answer = 410;
  await happen(1);
  await eventually(async () => {
    expect(await findEndpoint(ledger.database, endpointId)).toMatchObject({ disabledReason: 'gone' });
  });
  receiver.answer = 200;
  await enableEndpoint(ledger.database, endpointId, 'cursor', manager);
  await arrived(2);
});

test('a webhook beyond the share of a process goes to another one, even if the database refuses that at first', async () => {
  await webhook();
  await webhook();
  start(once(GIVES_BACK));
  await eventually(async () => expect(await heldBy('a process')).toBe(2));
  await ledger.database.query(
    "insert into process_heartbeat (process_id, role) values ('a process', 'webhooks'), ('another', 'webhooks')",
  );
  await eventually(async () => expect(await heldBy(null)).toBe(1));
});

test('a process that ends waits for the webhooks that it gives back, so that another one repeats nothing', async () => {
  const endpointId = await webhook();
  const manager = await managerOf(ledger.database, accountId);
  let isAsked = false;
  receiver.answer = () => {
    isAsked = true;
    return { status: 200, afterMs: 3_000 };
  };
  start(() => false, 10_000);
  await happen(1);
  await eventually(() => isAsked);
  await disableEndpoint(ledger.database, endpointId, manager);
  await eventually(() => expect(deliverer?.counts.delivering).toBe(0));
  await deliverer?.stop(10_000);
  const past = await ledger.database.query(
    'select from webhook_progress p join event_batch b on (b.xid, b.batch_id) = (p.cursor_xid, p.cursor_batch)',
  );
  expect(past).toHaveLength(1);
});

test('a process whose last place is not stored ends in order, and what it told is told again', async () => {
  await webhook();
  start((sql) => sql.includes(SAVES));
  await happen(1);
  await arrived(1);
  await deliverer?.stop(1_000);
  start();
  await ledger.database.query('update webhook_progress set owner = null');
  await arrived(2);
});

test('a webhook is told of each event of a type that its owner has just asked for', async () => {
  const endpointId = await webhook();
  let hasChanged = false;
  // The process does not hear of the change.
  start((sql) => hasChanged && sql.includes(LEASES));
  await happen(1);
  await arrived(1);
  hasChanged = true;
  const events = ['message.sent', 'message.delivered'] as const;
  await changeEndpoint(ledger.database, endpointId, { events }, await managerOf(ledger.database, accountId));
  await happen(2, 'delivered');
  await arrived(3);
});

test('events that were put off while others failed for the last time are sent when one succeeds', async () => {
  const { database } = ledger;
  const endpointId = await webhook();
  start(() => false, 10_000);
  // From then on it gets more than 22 requests at a time.
  await happen(500);
  await arrived(500);
  const failing = new Set(receiver.taken.slice(0, 20));
  const end = new AbortController();
  const isOver = onceEvent(end.signal, 'abort').then(() => undefined);
  receiver.answer = ({ id }) => (failing.has(id) ? 500 : { status: 200, until: isOver });
  await database.transaction(async (transaction) => {
    await transaction.query(
      `insert into webhook_retry (endpoint_id, batch_id, index, kind, attempts)
       select $1, split_part(id, '_', 2)::bigint, split_part(id, '_', 3)::integer, 'event', 9 from unnest($2::text[]) id`,
      [endpointId, [...failing]],
    );
    await transaction.query(
      `select write_message_events('sent', array_agg(gen_random_uuid()), array_agg($1::bigint), array_agg(null::text))
         from generate_series(1, 100)`,
      [accountId],
    );
  });
  await eventually(() => expect(deliverer?.counts.failing).toBe(1));
  end.abort();
  await eventually(() => expect(new Set(receiver.taken).size).toBe(600));
});

test('a webhook whose address changes takes the answers of the old address to its open requests', async () => {
  const endpointId = await webhook();
  const manager = await managerOf(ledger.database, accountId);
  const other = await TestReceiver.start();
  const answers: (() => void)[] = [];
  receiver.answer = () => ({ status: 200, until: new Promise((answer) => answers.push(answer)) });
  start(() => false, 10_000);
  await happen(7);
  await eventually(() => expect(answers).toHaveLength(7));
  receiver.answer = 200;
  await changeEndpoint(ledger.database, endpointId, { url: other.url }, manager);
  // Its delivery has the new address no later than a second after this.
  await eventually(async () => {
    if (other.taken.length === 0) await happen(1);
    expect(other.taken.length).toBeGreaterThan(0);
  });
  for (const answer of answers) answer();
  await eventually(() => expect(deliverer?.counts.inFlight).toBe(0));
  expect(await listAttempts(ledger.database, endpointId, 10)).toEqual([]);
  await other.close();
});
