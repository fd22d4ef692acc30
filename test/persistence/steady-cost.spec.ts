import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  acceptMessages,
  cancelOrders,
  completeBatches,
  countUnroutable,
  dueCarrierTests,
  findInbound,
  NOT_ROUTED,
  type PricedMessage,
  putInBacklog,
  queuedByRoute,
  readOpenWork,
  reconcileOrders,
  releaseDeadWorkers,
  rematchReceipts,
  segmentReference,
  settleReceipts,
  startScheduled,
  stateCounts,
  takeFromBacklog,
  tidyWebhooks,
  waitingScopes,
} from '#persistence';
import { type Queryable } from '../../libs/persistence/database/database.js';
import { claimOrders, recordSubmits } from '../support/dispatch-steps.js';
import { answer, receiptFor, requestOf, TestLedger } from '../support/test-ledger.js';

/** Runs statements and counts the pages that they look at. */
class CountPages implements Queryable {
  pages = 0;
  readonly texts = ledger.database.texts;

  async query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    const [row] = await ledger.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
      values,
    );
    const { Plan: plan } = row?.['QUERY PLAN'][0] ?? { Plan: {} };
    this.pages += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    return [];
  }
}

const ROUND = 1_000;
let ledger: TestLedger;
let accounts: string[];
beforeAll(async () => {
  ledger = await TestLedger.create();
  accounts = await Promise.all(Array.from({ length: 10 }, () => ledger.account(10_000)));
});
afterAll(() => ledger.close());

/** Stores messages of every account that have been delivered. */
async function deliver(count: number): Promise<void> {
  for (const account of accounts) {
    const messages = Array.from({ length: count / accounts.length }, () => ledger.message());
    await ledger.accept(account, messages);
    const claimed = await ledger.claim(messages.map(({ id }) => id));
    await ledger.record(claimed.map((order) => answer(order, 1, 'accepted')));
    await ledger.settle(messages.map((message) => receiptFor(message, 1, 'delivered')));
  }
}

async function pagesOf(step: (database: Queryable, message: PricedMessage) => Promise<unknown>): Promise<number> {
  const [account = ''] = accounts;
  const message = await ledger.queued(account);
  // Plans, and what the last steps have left to be tidied, are paid for by the first call.
  for (let n = 0; n < 3; n += 1) await step(new CountPages(), message).catch(() => undefined);
  const count = new CountPages();
  await step(count, message);
  expect(count.pages).toBeGreaterThan(0);
  return count.pages;
}

const owner = () => ({ workerId: 'worker-1', carrierId: ledger.carrierId, leaseSeconds: 60 });
const request = {
  carrierId: NOT_ROUTED,
  segmentsMax: 10,
  quantum: 5,
  dueAfterSeconds: 10,
  inFlightMax: undefined,
};
const STEPS: Record<string, (database: Queryable, message: PricedMessage) => Promise<unknown>> = {
  'an accept': (database) => {
    const message = ledger.message();
    const wanted = { accountId: accounts[1] ?? '', request: requestOf(message) };
    return acceptMessages(database, [wanted], { validitySeconds: 60, sweepAfterSeconds: 10 });
  },
  'a claim': (database, { id }) => claimOrders(database, [id], owner()),
  'a record': (database, { id }) =>
    recordSubmits(
      database,
      [{ id, position: 1, epoch: 1, kind: 'accepted', answer: `m-${id}`, done: true, retryAfterMs: 0 }],
      30,
    ),
  'a receipt': (database, message) =>
    settleReceipts(database, ledger.carrierId, [receiptFor(message, 1, 'delivered')], 30),
  'a cancel': (database, { id }) => cancelOrders(database, accounts[0] ?? '', [id]),
  'a look for scheduled orders': (database) => startScheduled(database, undefined),
  'a look for batches that are final': (database) => completeBatches(database),
  'a look at the deadlines': (database) =>
    reconcileOrders(database, { inDoubtWaitSeconds: 30, receiptDeadlineSeconds: 3_600 }, 100),
  'a look for early receipts': (database) => rematchReceipts(database, 300, 30),
  'a look for backlogs': (database) => waitingScopes(database),
  'a way into the backlog': (database, { id }) => putInBacklog(database, [id], NOT_ROUTED, 'interactive'),
  'a way out of the backlog': (database) => takeFromBacklog(database, request),
};

test('what each step of a message reads does not grow with the messages that are stored', async () => {
  await deliver(ROUND);
  const before: Record<string, number> = {};
  for (const [name, step] of Object.entries(STEPS)) before[name] = await pagesOf(step);
  await deliver(3 * ROUND);
  const grown: Record<string, number> = {};
  for (const [name, step] of Object.entries(STEPS)) {
    const pages = await pagesOf(step);
    if (pages > 1.5 * (before[name] ?? 0) + 100) grown[name] = pages;
  }
  expect({ grown, before }).toEqual({ grown: {}, before });
});

test('the plans that a session makes on a new database look only at the orders they are about', async () => {
  const empty = await TestLedger.create();
  let plan = '';
  const explaining: Queryable = {
    texts: empty.database.texts,
    query: async (sql, values) => {
      const rows = await empty.database.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    },
  };
  await dueCarrierTests(explaining, [empty.carrierId]);
  expect(plan).toContain('Index Scan using message_order_pkey');
  await explaining.query('select from message_order where account_id = $1 and sequence = $2', [1, 1]);
  expect(plan).toContain('message_order_sequence');
  await explaining.query('select from message_order where account_id = $1 and destination = $2', [1, '4670']);
  expect(plan).toContain('message_order_destination');
  await empty.close();
});

async function readSegments(transaction: Queryable): Promise<number> {
  const [read] = await transaction.query<{ n: string }>(
    "select idx_tup_fetch + seq_tup_read as n from pg_stat_xact_user_tables where relname = 'segment'",
  );
  return Number(read?.n);
}

test('to match receipts by their references reads what is in doubt once, and not once for each receipt', async () => {
  const count = 200;
  const account = await ledger.account(count);
  const messages = Array.from({ length: count }, () => ledger.message());
  await ledger.accept(account, messages);
  const orders = await ledger.claim(messages.map(({ id }) => id));
  await ledger.record(orders.map((order) => answer(order, 1, 'in_doubt')));
  const receipts = orders.map((order) =>
    receiptFor(order, 1, 'delivered', {
      carrierMessageId: `of-${order.id}`,
      userMessageReference: segmentReference(order.id, 1),
    }),
  );
  expect(await ledger.settle(receipts)).toEqual({ matched: 0, unmatched: count });
  const segments = await ledger.database.transaction(async (transaction) => {
    // (a session also counts here what its earlier transactions have read and not reported yet)
    const before = await readSegments(transaction);
    expect(await rematchReceipts(transaction, 300, 30, 0)).toBe(count);
    return (await readSegments(transaction)) - before;
  });
  expect(segments).toBeGreaterThanOrEqual(count);
  expect(segments).toBeLessThan(50 * count);
});

test('a look for early receipts reads nothing of what is or was in doubt, while no receipt has a reference', async () => {
  const look = (database: Queryable) => rematchReceipts(database, 300, 30);
  const before = await pagesOf(look);
  await ledger.database.query(
    `insert into doubtful_submit (message_id, position, carrier_id, destination, reference, submitted_at)
     select gen_random_uuid(), 1, $1, '4674' || n, n, now() - interval '1 day' from generate_series(1, 5000) n`,
    [ledger.carrierId],
  );
  expect(await pagesOf(look)).toBeLessThan(1.5 * before + 100);
  await ledger.database.query('delete from doubtful_submit');
});

const LOOKS: Record<string, (database: Queryable) => Promise<unknown>> = {
  'for early receipts': (database) => rematchReceipts(database, 300, 30),
  'for receipts of any age': (database) => rematchReceipts(database, undefined, 30, 3, 20),
  'for orders of dead workers': async (database) => {
    await ledger.database.query(
      `insert into process_heartbeat (process_id, role, seen_at) values ('dead', 'worker', now() - interval '1 minute')
       on conflict (process_id) do update set details = default`,
    );
    return releaseDeadWorkers(database, 15);
  },
  'at the states': (database) => stateCounts(database, 100),
  'at what is open': (database) => readOpenWork(database, 100),
  'for messages without a route': (database) => countUnroutable(database, 100),
  'for the routes of messages': (database) => queuedByRoute(database, 100),
  'for events whose time is over': (database) => tidyWebhooks(database, 14, 30),
  'at the answers since a time': (database) =>
    findInbound(database, accounts[0] ?? '', { page: 1, limit: 20 }, { from: new Date() }),
  'for a number that is to be forgotten': (database) => database.query(`select forget_number('46700000000')`),
};

test('what a look reads does not grow with unmatched receipts, messages that wait for receipts, answers, or events', async () => {
  const [account = ''] = accounts;
  const { id } = await ledger.queued(account);
  const order = await ledger.claimed(id);
  await ledger.record([answer(order, 1, 'in_doubt')]);
  await ledger.database.query("insert into route (prefix, carrier_id) values ('1', $1)", [ledger.carrierId]);
  const before: Record<string, number> = {};
  for (const [name, look] of Object.entries(LOOKS)) before[name] = await pagesOf(look);
  await ledger.database.query(
    `insert into parked_receipt (carrier_id, carrier_message_id, destination, state, carrier_code, received_at)
     select $1, 'u' || n, '4673' || n, 'delivered', 'DELIVRD', now() - interval '2 days' from generate_series(1, 20000) n`,
    [ledger.carrierId],
  );
  await ledger.database.query(
    `insert into message_order (id, account_id, sequence, recipient, destination, message, extended, segments, price,
                                amount, state, valid_until, due_at, created_at)
     select gen_random_uuid(), 999999, n, '+46', '4673' || n, 'x', false, 1, 1, 1, 'sent', now(),
            now() + interval '1 day', now() from generate_series(1, 20000) n`,
  );
  await ledger.database.query(
    `insert into inbound_message (inbound_id, account_id, number, carrier_id, source, destination, message, parts,
                                  received_at)
     select gen_random_uuid(), $1, n, $2, '46700000001', '4670', 'x', 1, now() - interval '2 days'
       from generate_series(1, 20000) n`,
    [account, ledger.carrierId],
  );
  await ledger.database.query(
    `insert into event_batch (slot, batch_id, account_id, type, data)
     select event_slot(b.id), b.id, $1, 'webhook.test', '{}'
       from (select event_batch_id_at(now() - interval '1 day') + n as id from generate_series(1, 20000) n) b`,
    [account],
  );
  const grown: Record<string, number> = {};
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed)
      await ledger.database.query('analyze parked_receipt, message_order, segment, inbound_message, event_batch');
    for (const [name, look] of Object.entries(LOOKS)) {
      const pages = await pagesOf(look);
      if (pages > 1.5 * (before[name] ?? 0) + 100) grown[name] = pages;
    }
  }
  expect({ grown, before }).toEqual({ grown: {}, before });
});

test('no function has its statements compiled at each call, because a switched-off plan looks expensive', async () => {
  const compiled = await ledger.database.query(
    `select proname from pg_proc
      where array_to_string(proconfig, ' ') ~ 'enable_\\w+=off' and not 'jit=off' = any (proconfig)`,
  );
  expect(compiled).toEqual([]);
});
