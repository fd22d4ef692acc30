import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { QueueBackEnd } from '#queue';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { sendSingles } from '../support/send-singles.js';
import { TestService, type TestServiceOptions } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { idleSeconds } from '../support/worker-process.js';

/** Longer than any bound on a command of the queue. */
const IDLE_SECONDS = 3;

describe.each(QUEUE_BACK_ENDS)('with the queue on %s', (backEnd) => {
  let service: TestService | undefined;
  let outage: Outage;
  beforeEach(() => {
    outage = new Outage(backEnd);
  });
  afterEach(async () => {
    const open = service;
    service = undefined;
    await outage.end(open);
    await open?.close();
    await outage.close();
  });

  async function start(options: Omit<TestServiceOptions, 'backEnd'> = {}): Promise<TestService> {
    service = await TestService.start({ backEnd, simulator: { latencyMs: 20 }, ...options });
    return service;
  }

  test('a worker that had nothing to do for a while hears of the next message at once', async () => {
    // Nothing but the queue tells the worker.
    const running = await start({ settings: { SWEEP_AFTER_SECONDS: '600' } });
    await running.send('46701234567', 'before');
    await running.untilStatuses({ delivered: 1 });
    await eventually(async () => (await idleSeconds(running)) > IDLE_SECONDS);
    await running.send('46701234567', 'after');
    await running.untilStatuses({ delivered: 2 }, 4_000);
  });

  test('everything that the queue held may vanish: all is delivered, each message once', async () => {
    const running = await start({ carrier: { windowSize: 5 } });
    await sendSingles(running, 250);
    await running.simulator.records.until(({ submits }) => submits.length >= 40);
    await emptyQueue(running);
    await running.untilStatuses({ delivered: 250 });
    expect(running.takenCopies).toBe(250);
  });

  test('everything that the queue held may vanish while new messages keep it busy', async () => {
    const settings = backEnd === 'redis' ? { SWEEP_AFTER_SECONDS: '600' } : {};
    const running = await start({ carrier: { submitsPerSecond: 40 }, settings });
    const before = await sendSingles(running, 60);
    await running.simulator.records.until(({ submits }) => submits.length >= 20);
    await emptyQueue(running);
    const wanted = new Map(before.map((id) => [id, 'delivered']));
    let isOver = false;
    const delivered = running.untilEnded(wanted).finally(() => {
      isOver = true;
    });
    // Two for each that the carrier takes, so that something waits all the time; bounded, should the delivery never
    // come.
    for (let number = 0; !isOver && number < 1_500; number += 2) {
      await Promise.all([running.send('46701234567', `${number}`), running.send('46701234568', `${number}`)]);
      const { length: before } = running.simulator.records.submits;
      await running.simulator.records.until(({ submits }) => isOver || submits.length > before);
    }
    await delivered;
  });

  test('what is accepted while the queue is away is delivered once it is back, without being sent again', async () => {
    const running = await start({ settings: await outage.settings() });
    await running.send('46701234567', 'before');
    await running.untilStatuses({ delivered: 1 });
    await outage.begin(running);
    await sendSingles(running, 60);
    for (let single = 0; single < 5; single += 1) await running.send('46701234568', `single ${single}`);
    expect((await running.messages()).size).toBe(66);
    await outage.end(running);
    await running.untilStatuses({ delivered: 66 });
    expect(running.takenCopies).toBe(66);
  });

  async function emptyQueue(running: TestService): Promise<void> {
    if (backEnd === 'postgres') {
      await running.database.query(
        `do $$ declare t text; begin
           for t in select format('bullmq.%I', table_name) from information_schema.tables
                     where table_schema = 'bullmq' and table_type = 'BASE TABLE' and table_name like '%job%' loop
             execute 'delete from ' || t;
           end loop;
         end $$`,
      );
      return;
    }
    const redis = new Redis(running.settings.REDIS_URL ?? '');
    await redis.flushdb();
    redis.disconnect();
  }
});

/** Takes the queue away from gateway and worker, and nothing else. */
class Outage {
  private proxy: TcpProxy | undefined;
  private hasBegun = false;

  constructor(private readonly backEnd: QueueBackEnd) {}

  /** Settings by which the service reaches the queue in a way that can be cut. */
  async settings(): Promise<Record<string, string>> {
    if (this.backEnd === 'postgres') return {};
    const url = testRedisUrl() ?? '';
    this.proxy = await TcpProxy.before(url);
    return { REDIS_URL: this.proxy.through(url) };
  }

  async begin({ database }: TestService): Promise<void> {
    this.hasBegun = true;
    if (this.proxy !== undefined) this.proxy.cut();
    else await database.query('alter schema bullmq rename to bullmq_away');
  }

  async end(running: TestService | undefined): Promise<void> {
    if (!this.hasBegun) return;
    this.hasBegun = false;
    if (this.proxy !== undefined) this.proxy.mend();
    else await running?.database.query('alter schema bullmq_away rename to bullmq');
  }

  async close(): Promise<void> {
    await this.proxy?.close();
  }
}
