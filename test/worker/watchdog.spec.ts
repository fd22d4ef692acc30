import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '#config';
import { type RunningWorker, startWorker } from '../../apps/worker/start-worker.js';
import { eventually } from '../support/eventually.js';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { sendSingles } from '../support/send-singles.js';
import { TestService } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** The one on which the worker announces is opened first, and its consumers' later. */
const ANNOUNCING_CONNECTIONS = 1;
const WATCHDOG = { checkEveryMs: 300, idleMaxMs: 2_000, staleAfterSeconds: 1 };

jest.setTimeout(120_000);

/** On Redis only the queue's connections can be silenced without the worker's others; the consumer's own spec has both back ends. */
describe.each(QUEUE_BACK_ENDS.filter((backEnd) => backEnd === 'redis'))(
  'a worker with the queue on %s whose consumer has gone deaf',
  (backEnd) => {
    let service: TestService | undefined;
    let worker: RunningWorker | undefined;
    let proxy: TcpProxy | undefined;
    afterEach(async () => {
      proxy?.cut();
      proxy?.mend();
      await worker?.close();
      worker = undefined;
      await service?.close();
      await proxy?.close();
    }, 60_000);

    async function start(endProcess: () => void, lines: string[]): Promise<TestService> {
      service = await TestService.start({ backEnd, workers: 0 });
      const url = new URL(service.settings.REDIS_URL ?? '');
      proxy = await TcpProxy.to(url.hostname, Number(url.port));
      url.hostname = '127.0.0.1';
      url.port = String(proxy.port);
      const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
      worker = await startWorker(loadConfig({ ...service.settings, REDIS_URL: url.href }), log, {
        watchdog: WATCHDOG,
        endProcess,
      });
      return service;
    }

    test('takes messages again soon, without being started anew', async () => {
      const lines: string[] = [];
      let ends = 0;
      const running = await start(() => {
        ends += 1;
      }, lines);
      await running.send('46701234567', 'before');
      await running.untilStatuses({ delivered: 1 });
      proxy?.swallow(ANNOUNCING_CONNECTIONS);
      await sendSingles(running, 20);
      await running.untilStatuses({ delivered: 21 }, 25_000);
      expect(ends).toBe(0);
      expect(lines.filter((line) => line.includes('making it anew')).length).toBe(1);
    });

    test('ends its process when a new consumer hears nothing either', async () => {
      const lines: string[] = [];
      let ends = 0;
      const running = await start(() => {
        ends += 1;
      }, lines);
      await running.send('46701234567', 'before');
      await running.untilStatuses({ delivered: 1 });
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
  },
);
