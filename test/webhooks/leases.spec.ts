import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Database, disableEndpoint, SecretKeys } from '#persistence';
import { ReceiverAddresses } from '#webhooks';
import { Deliverer } from '../../apps/webhooks/deliverer.js';
import { WebhookMetrics } from '../../apps/webhooks/webhook-metrics.js';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { TestLedger } from '../support/test-ledger.js';
import { managerOf, startTestWebhooks, webhookTo } from '../support/webhooks.js';

const TAKES = 'update webhook_progress p set owner = $1 from free';

function delivererOn(database: Database, log = pino({ level: 'silent' })): Deliverer {
  const metrics = new WebhookMetrics();
  const addresses = new ReceiverAddresses();
  return new Deliverer(
    { owner: 'a process', database, log, metrics, addresses, timeoutMs: 1_000, now: Date.now },
    () => true,
  );
}

test('a webhook that is disabled while a process takes it stays with nobody', async () => {
  const ledger = await TestLedger.create();
  const { database } = ledger;
  const accountId = await ledger.account(1);
  const manager = await managerOf(database, accountId);
  const { endpointId } = await webhookTo(database, accountId, 'http://127.0.0.1:9/events', ['message.delivered']);
  const takenThen: unknown[] = [];
  const query: Database['query'] = async <Row>(sql: string, parameters: readonly unknown[] = []) => {
    const rows = await database.query<Row>(sql, parameters);
    if (sql.includes(TAKES) && rows.length > 0) {
      takenThen.push(...rows);
      await disableEndpoint(database, endpointId, manager);
    }
    return rows;
  };
  const deliverer = delivererOn(Object.assign(Object.create(database) as Database, { query }));
  deliverer.start();
  try {
    await eventually(async () => {
      expect(takenThen).toEqual([{ endpoint_id: endpointId }]);
      expect(await database.query('select owner from webhook_progress')).toEqual([{ owner: null }]);
    });
  } finally {
    await deliverer.stop(0);
    await ledger.close();
  }
});

test('a process that lacks the key of a secret says once which one, in words', async () => {
  const ledger = await TestLedger.create();
  const { database } = ledger;
  const { endpointId } = await webhookTo(database, await ledger.account(1), 'http://127.0.0.1:9/', ['message.sent']);
  let rounds = 0;
  const query: Database['query'] = async <Row>(sql: string, parameters: readonly unknown[] = []) => {
    if (sql.includes(TAKES)) rounds += 1;
    return database.query<Row>(sql, parameters);
  };
  const log = new LogLines('webhooks');
  const deliverer = delivererOn(
    Object.assign(Object.create(database) as Database, { query, secretKeys: new SecretKeys() }),
    log.logger,
  );
  deliverer.start();
  try {
    await eventually(() => rounds > 2);
    const words =
      'a webhook is not delivered: its secret is encrypted with key ' +
      `${database.secretKeys.currentId}, which this process does not have: set SECRETS_KEY_FILE or SECRETS_KEY`;
    expect(log.saying(words)).toMatchObject([{ level: 40, endpointId }]);
  } finally {
    await deliverer.stop(0);
    await ledger.close();
  }
});

test('the webhooks of a process that died before the clock was set back go to another one', async () => {
  const ledger = await TestLedger.create();
  const { database } = ledger;
  await webhookTo(database, await ledger.account(1), 'http://127.0.0.1:9/', ['message.sent']);
  await database.query("update webhook_progress set owner = 'a process'");
  await database.query(
    "insert into process_heartbeat (process_id, role, seen_at) values ('a process', 'webhooks', now() + interval '1 hour')",
  );
  const webhooks = await startTestWebhooks(ledger.url);
  try {
    await eventually(async () => {
      expect(await database.query('select owner from webhook_progress')).toEqual([{ owner: webhooks.processId }]);
    });
  } finally {
    await webhooks.close();
    await ledger.close();
  }
});
