import { describe, expect, test } from '@jest/globals';
import { DispatchQueue, type OrderGroup } from '#queue';
import { createLogger } from '#telemetry';
import { AnnounceOrders } from '../../apps/gateway/messages/announce-orders.js';
import { GatewayMetrics } from '../../apps/gateway/operator/gateway-metrics.js';
import { eventually } from '../support/eventually.js';
import { OPERATOR_PASSWORD, RECIPIENT, TestGateway } from '../support/gateway.js';
import { scrape } from '../support/metrics.js';
import { openQueue } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Remembers what it was told, while it can be reached. */
class ToldQueue extends DispatchQueue {
  isAway = false;
  readonly orders: string[] = [];
  readonly turns: string[] = [];

  async enqueue(groups: readonly OrderGroup[]): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.orders.push(...groups.flatMap(({ ids }) => ids));
  }
  async announceTurns(accounts: readonly string[]): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.turns.push(...accounts);
  }
  enqueueFor = () => Promise.reject(new Error('a gateway does not'));
  depth = () => Promise.reject(new Error('a gateway does not'));
  depthOf = () => Promise.reject(new Error('a gateway does not'));
  hasLostEverything = () => Promise.reject(new Error('a gateway does not'));
  readyJobs = () => Promise.reject(new Error('a gateway does not'));
  followCarriers = () => undefined;
}

function announcer() {
  const queue = new ToldQueue();
  const metrics = new GatewayMetrics();
  return { queue, announce: new AnnounceOrders(queue, createLogger('gateway', 'silent'), metrics), metrics };
}
const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `o${from + index}`);

describe('what cannot be announced', () => {
  test('is announced when the queue can be reached again, each order once, beside what is new', async () => {
    const { queue, announce, metrics } = announcer();
    queue.isAway = true;
    for (const name of names(0, 2_500)) announce.announce([{ account: '1', ids: [name] }]);
    announce.announce([{ account: '2', ids: ['b1', 'b2'] }]);
    await eventually(async () => (await metrics.enqueueFailures.get()).values[0]?.value === 2_502);
    queue.isAway = false;
    announce.announce([{ account: '1', ids: ['new'] }]);
    await eventually(() => queue.orders.length === 2_501);
    expect(new Set(queue.orders)).toEqual(new Set([...names(0, 2_500), 'new']));
    // Workers look for backlogs themselves.
    expect(queue.turns).toEqual([]);
    await announce.drain();
    expect(queue.orders).toHaveLength(2_501);
  });

  test('is tried once more when the gateway ends, and left to the sweeper if the queue is still away', async () => {
    const { queue, announce, metrics } = announcer();
    const failed = (count: number) => async () => (await metrics.enqueueFailures.get()).values[0]?.value === count;
    queue.isAway = true;
    for (const name of names(0, 3)) announce.announce([{ account: '1', ids: [name] }]);
    await eventually(failed(3));
    await announce.drain();
    expect(queue.orders).toEqual([]);
    queue.isAway = false;
    await announce.drain();
    expect(queue.orders.sort()).toEqual(names(0, 3));
  });

  const redisUrl = testRedisUrl();
  if (redisUrl === undefined) return;
  test('because Redis is cut off, is on the queue soon after', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    const through = { REDIS_URL: proxy.through(redisUrl) };
    const gateway = await TestGateway.start({ backEnd: 'redis', settings: through });
    const { queue, close } = await openQueue({ REDIS_URL: redisUrl });
    const account = await gateway.account();
    proxy.cut();
    const reply = await account.send({ recipient: RECIPIENT, message: 'hi' });
    expect(reply.status).toBe(201);
    expect((await queue.depth()).waiting).toBe(0);
    await eventually(async () => {
      const samples = await scrape(gateway.operatorPort, '/metrics', OPERATOR_PASSWORD);
      expect(samples).toContainEqual({ name: 'heliograph_enqueue_failures_total', labels: {}, value: 1 });
    });
    proxy.mend();
    await eventually(async () => (await queue.depth()).waiting === 1);
    await gateway.close();
    await close();
    await proxy.close();
  });
});
