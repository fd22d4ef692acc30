import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { type RunningWorker, startWorker } from '../../apps/worker/start-worker.js';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { sendSingles } from '../support/send-singles.js';
import { TestService } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { idleSeconds } from '../support/worker-process.js';

/** The one on which the worker announces is opened first, and its consumers' later. */
const ANNOUNCING_CONNECTIONS = 1;
const WATCHDOG = { checkEveryMs: 200, idleMaxMs: 1_000, staleAfterSeconds: 3 };

jest.setTimeout(120_000);

describe.each(QUEUE_BACK_ENDS)('the watchdog of a worker with the queue on %s', (backEnd) => {
  let service: TestService | undefined;
  let worker: RunningWorker | undefined;
  let proxy: TcpProxy | undefined;
  /** Errors in the worker's log, and how often it wanted to end. */
  const lines: string[] = [];
  let ends = 0;
  afterEach(async () => {
    proxy?.cut();
    proxy?.mend();
    await worker?.close();
    worker = undefined;
    await service?.close();
    await proxy?.close();
  }, 60_000);

  /** A service with one worker that has delivered a message. */
  async function start(): Promise<TestService> {
    lines.splice(0);
    ends = 0;
    service = await TestService.start({ backEnd, workers: 0 });
    const through = await throughProxy(service.settings.REDIS_URL);
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    worker = await startWorker(loadConfig({ ...service.settings, ...through }), log, {
      watchdog: WATCHDOG,
      endProcess: () => {
        ends += 1;
      },
    });
    await service.send('46701234567', 'before');
    await service.untilStatuses({ delivered: 1 });
    return service;
  }

  async function throughProxy(redisUrl: string | undefined): Promise<Record<string, string>> {
    if (redisUrl === undefined) return {};
    proxy = await TcpProxy.before(redisUrl);
    return { REDIS_URL: proxy.through(redisUrl) };
  }

  test('leaves a consumer alone that works, and one that has nothing to do', async () => {
    const running = await start();
    for (let sent = 2; sent <= 3; sent += 1) {
      await eventually(async () => (await idleSeconds(running)) * 1_000 > WATCHDOG.idleMaxMs);
      await running.send('46701234567', 'now and then');
      await running.untilStatuses({ delivered: sent });
    }
    expect(ends).toBe(0);
    expect(lines).toEqual([]);
  });

  // Only on Redis can the queue's connections be silenced without the worker's others; the consumer's own spec has both back ends.
  if (backEnd !== 'redis') return;

  test('makes a consumer anew that has gone deaf: messages are taken again soon, and the process is not started anew', async () => {
    const running = await start();
    proxy?.swallow(ANNOUNCING_CONNECTIONS);
    await sendSingles(running, 20);
    await running.untilStatuses({ delivered: 21 }, 25_000);
    expect(ends).toBe(0);
    expect(lines.filter((line) => line.includes('making it anew')).length).toBe(1);
  });

  test('ends the process when a new consumer hears nothing either', async () => {
    const running = await start();
    // As if every new connection died like the first.
    const silence = setInterval(() => proxy?.swallow(ANNOUNCING_CONNECTIONS), 1);
    try {
      await sendSingles(running, 5);
      await eventually(() => ends === 1, { timeoutMs: 30_000 });
    } finally {
      clearInterval(silence);
    }
    expect(lines.filter((line) => line.includes('the process ends to be started again')).length).toBe(1);
  });
});
