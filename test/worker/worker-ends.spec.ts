import type { ChildProcess } from 'node:child_process';
import { on } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { type TestService, UNIT_PRICE } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { ended, longDead, spawnWorker } from '../support/worker-process.js';

const WINDOW_SIZE = 12;

describe.each(QUEUE_BACK_ENDS)('with the queue on %s', (backEnd) => {
  const processes: ChildProcess[] = [];
  // Before the service that they work for.
  afterEach(async () => {
    for (const child of processes.splice(0)) await ended(child, 'SIGKILL');
  });
  const start = sharedService({ backEnd, simulator: { latencyMs: 40 }, carrier: { windowSize: WINDOW_SIZE } });

  function spawned(running: TestService): ChildProcess {
    const child = spawnWorker(running);
    processes.push(child);
    return child;
  }

  const taken = (running: TestService, count: number) =>
    running.simulator.records.until(({ submits }) => submits.filter(({ isTaken }) => isTaken).length >= count, 60_000);

  /** Segments of which nobody knows whether the carrier has them. */
  async function unsettled(running: TestService): Promise<number> {
    const [row] = await running.database.query<{ n: number }>(
      "select count(*)::integer as n from segment where state in ('submitting', 'in_doubt')",
    );
    return row?.n ?? 0;
  }

  test('a worker that is closed under load loses nothing, leaves nothing in doubt, and the next one doubles nothing', async () => {
    const running = await start({ workers: 0 });
    const first = await running.startWorker();
    await running.sendMany(160);
    await taken(running, 50);
    await running.stopWorker(first);
    expect(await unsettled(running)).toBe(0);
    const { sending = 0, queued = 0, delivered = 0 } = await running.statuses();
    expect(sending).toBe(0);
    expect(queued).toBeGreaterThan(0);
    expect(delivered).toBeLessThan(160);
    await running.startWorker();
    await running.untilStatuses({ delivered: 160 });
    expect(running.takenCopies).toBe(160);
  });

  test('a worker that gets SIGTERM under load ends with 0 and leaves nothing in doubt', async () => {
    const running = await start({ workers: 0 });
    const child = spawned(running);
    await running.sendMany(120);
    await taken(running, 30);
    expect(await ended(child, 'SIGTERM')).toBe(0);
    expect(await unsettled(running)).toBe(0);
    await running.startWorker();
    await running.untilStatuses({ delivered: 120 });
    expect(running.takenCopies).toBe(120);
  });

  if (backEnd === 'redis') {
    test('a worker that Redis refuses goes on with everything else, and ends with 0 at SIGTERM', async () => {
      const running = await start({ workers: 0 });
      const url = new URL(running.settings.REDIS_URL ?? '');
      const redis = new Redis(url.href);
      [url.username, url.password] = ['without-info', 'spec'];
      await redis.acl('SETUSER', url.username, 'reset', 'on', `>${url.password}`, '+@all', '-info', '~*', '&*');
      const settings = { ...running.settings, REDIS_URL: url.href, LOG_LEVEL: 'warn' };
      const child = spawned({ settings } as unknown as TestService);
      try {
        for await (const [text] of on(child.stdout ?? child, 'data'))
          if (`${text}`.includes('cannot be reached')) break;
        expect(await ended(child, 'SIGTERM')).toBe(0);
      } finally {
        await redis.acl('DELUSER', url.username);
        redis.disconnect();
      }
    });
  }

  // The carrier answers at once, so answers that wait to be recorded would soon be more than the window.
  test('never more segments than the window are unanswered or not recorded, of short and of long messages', async () => {
    const running = await start({ workers: 1, simulator: {}, carrier: { windowSize: 3 } });
    const entryOf = (index: number) => ({
      recipient: `+4670123${1_000 + index}`,
      message: index % 10 === 0 ? 'x'.repeat(400) : 'short',
    });
    await running.sendBatch(Array.from({ length: 300 }, (_, index) => entryOf(index)));
    let most = 0;
    for (let open = [{}]; open.length > 0; ) {
      most = Math.max(most, await unsettled(running));
      open = await running.database.query("select from message_order where state in ('queued', 'sending') limit 1");
    }
    await running.untilStatuses({ delivered: 300 });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(3);
  });

  test('a worker that is killed is taken over: all is delivered, at most its window twice, and charged once', async () => {
    const running = await start({ workers: 0 });
    const child = spawned(running);
    await running.sendMany(160);
    await taken(running, 40);
    await ended(child, 'SIGKILL');
    await eventually(() => running.simulator.binds.length === 0);
    await longDead(running, child);
    await running.startWorker();
    await running.untilStatuses({ delivered: 160 });
    expect(running.takenByNumber.size).toBe(160);
    expect(running.takenCopies - 160).toBeLessThanOrEqual(WINDOW_SIZE);
    expect(await running.figures()).toEqual({ reserved: 0n, captured: 160n * UNIT_PRICE });
  });

  test('two workers share the work and double nothing', async () => {
    const running = await start({ workers: 2, settings: { WORKER_CONCURRENCY: '1' } });
    await running.sendMany(300);
    await running.untilStatuses({ delivered: 300 });
    expect(running.takenCopies).toBe(300);
    const binds = new Set(running.simulator.records.submits.map(({ bind }) => bind));
    expect(binds.size).toBe(2);
  });
});
