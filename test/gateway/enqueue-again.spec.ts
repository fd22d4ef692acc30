import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '#config';
import type { Database, PricedMessage } from '#persistence';
import type { DispatchQueues } from '#queue';
import { EnqueueOrders } from '../../apps/gateway/messages/enqueue-orders.js';
import type { OpenCarriers } from '../../apps/gateway/messages/open-carriers.js';
import { QueueOutages } from '../../apps/gateway/messages/queue-outages.js';
import { GatewayMetrics } from '../../apps/gateway/operator/gateway-metrics.js';
import { eventually } from '../support/eventually.js';

test('what the queue does not take goes into the backlog, also if the database is away for a moment', async () => {
  const puts: unknown[] = [];
  const database = {
    query: async (_sql: string, [ids]: unknown[]) => {
      puts.push(ids);
      if (puts.length < 3) throw new Error('Connection terminated unexpectedly');
      return [];
    },
  } as unknown as Database;
  const queues = {
    events: new EventEmitter(),
    enqueue: async () => Promise.reject(new Error('Connection terminated unexpectedly')),
  } as unknown as DispatchQueues;
  const log = pino({ level: 'silent' });
  const outages = new QueueOutages(queues, log, new GatewayMetrics(), loadConfig({}));
  const carriers = { countFailovers: () => undefined } as unknown as OpenCarriers;
  const orders = new EnqueueOrders(carriers, queues, outages, database, loadConfig({}));
  const messages = [{ id: 'one' }] as unknown as PricedMessage[];
  orders.enqueue([{ messages, total: 0n, inBacklog: false, carrier: 'acme' }]);
  await eventually(() => puts.length === 3);
  await orders.onApplicationShutdown();
  expect(puts).toEqual(Array(3).fill(['one']));
});
