import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { loadConfig } from '#config';
import type { Database } from '#persistence';
import type { DispatchQueues } from '#queue';
import type { Feeder } from '../../apps/worker/dispatch/feeder.js';
import { RepeatedFaults } from '../../apps/worker/operations/repeated-faults.js';
import { Reconciler } from '../../apps/worker/recovery/reconciler.js';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { TestLedger } from '../support/test-ledger.js';

/** Each step, with words of its statement. */
const STEPS = [
  ['recent receipts', 'rematch_receipts('],
  ['dead workers', 'release_dead_workers('],
  ['batches', 'complete_batches('],
  ['opt-outs', 'open_opt_out'],
  ['scheduled orders', 'start_scheduled('],
  ['deadlines', 'reconcile_orders('],
  ['purge', 'purge_expired('],
  ['receipted orders', 'doubt_receipted_orders('],
  ['parts of messages', 'inbound_part'],
] as const;
const STEP = new RegExp(STEPS.map(([, words]) => words.replace('(', '\\(')).join('|'));

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await TestLedger.create();
});
afterAll(() => ledger.close());

function reconcilerOn(
  database: Database,
  hasLostEverything: () => Promise<boolean>,
  { logger } = new LogLines('worker'),
) {
  const queues = { hasLostEverything } as DispatchQueues;
  const feeder = { wake: () => undefined } as Feeder;
  const config = loadConfig({});
  return new Reconciler(database, queues, feeder, new RepeatedFaults(logger, config), config, logger);
}

test.each(STEPS)('while the step of %s fails each time, every other one is done', async (step, failing) => {
  const { database } = ledger;
  const asked: string[] = [];
  const query = database.query.bind(database);
  jest.spyOn(database, 'query').mockImplementation((sql, parameters) => {
    asked.push(...(STEP.exec(sql) ?? []));
    return query(sql.includes(failing) ? 'select 1 / 0' : sql, sql.includes(failing) ? [] : parameters);
  });
  const log = new LogLines('worker');
  const reconciler = reconcilerOn(database, async () => false, log);
  reconciler.onApplicationBootstrap();
  try {
    // The last step of a round, and then two rounds more.
    await eventually(() => asked.includes('inbound_part'));
    const rounds = asked.length;
    await eventually(() => asked.slice(rounds).filter((words) => words === 'reconcile_orders(').length > 1);
  } finally {
    await reconciler.onApplicationShutdown();
    jest.restoreAllMocks();
  }
  expect([...new Set(asked)].sort()).toEqual(STEPS.map(([, words]) => words).sort());
  // It comes again after a minute, whether it fails or not.
  expect(asked.filter((words) => words === 'purge_expired(')).toHaveLength(1);
  expect(log.saying('a step of the reconciler failed; it is tried again')[0]).toMatchObject({ step });
});

test('a loss of the queue that cannot be acted on at once is acted on later, and then no more', async () => {
  const { database } = ledger;
  const outcomes: ('failed' | 'done')[] = [];
  const query = database.query.bind(database);
  jest.spyOn(database, 'query').mockImplementation((sql, parameters) => {
    if (!sql.includes('requeue_all(')) return query(sql, parameters);
    outcomes.push(outcomes.length === 0 ? 'failed' : 'done');
    return outcomes.length === 1 ? query('select 1 / 0') : query(sql, parameters);
  });
  const losses = [true];
  let looks = 0;
  const reconciler = reconcilerOn(database, async () => {
    looks += 1;
    return losses.shift() ?? false;
  });
  reconciler.onApplicationBootstrap();
  try {
    await eventually(() => looks >= 4);
  } finally {
    await reconciler.onApplicationShutdown();
    jest.restoreAllMocks();
  }
  expect(outcomes).toEqual(['failed', 'done']);
});

test('a queue that cannot be reached is told with the setting that says where it is', () => {
  const log = new LogLines('worker');
  new RepeatedFaults(log.logger, loadConfig({ REDIS_URL: 'redis://h:1' })).queueUnreachable(new Error('refused'));
  expect(log.saying('the queue cannot be reached (REDIS_URL)')).toHaveLength(1);
});
