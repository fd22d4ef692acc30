import { describe, expect, test } from '@jest/globals';
import { addCarrier, backlogDepths } from '#persistence';
import { recordHeartbeat } from '../../libs/persistence/database/heartbeat.js';
import { eventually } from '../support/eventually.js';
import { RECIPIENT, TestGateway } from '../support/gateway.js';
import { LogLines } from '../support/log-lines.js';
import { openQueue, QUEUE_BACK_ENDS } from '../support/queue.js';
import { testRedisUrl } from '../support/redis.js';
import { smppCarrier } from '../support/smpp-carrier.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const CARRIER = 'one';

describe.each(QUEUE_BACK_ENDS)('where an accepted message goes, with the queue on %s', (backEnd) => {
  async function start(settings: Readonly<Record<string, string>> = {}, pace = 1_000) {
    const log = new LogLines('gateway');
    const gateway = await TestGateway.start({ backEnd, settings, log });
    const { database } = gateway;
    await addCarrier(database, smppCarrier({ name: CARRIER }));
    const worker = (readiness: string) =>
      recordHeartbeat(database, {
        processId: 'worker-1',
        role: 'worker',
        details: { carriers: [{ name: CARRIER, state: 'bound', readiness, pace }] },
      });
    await worker('up');
    const producer = await openQueue(gateway.settings);
    const account = await gateway.account();
    const inBacklogs = async () => (await backlogDepths(database)).reduce((sum, { messages }) => sum + messages, 0);
    return {
      gateway,
      log,
      worker,
      inBacklogs,
      depth: () => producer.queues.depthOf(CARRIER),
      send: async (count = 1) => {
        for (let sent = 0; sent < count; sent += 1) {
          expect((await account.send({ recipient: RECIPIENT, message: 'hi' })).status).toBe(201);
        }
      },
      close: async () => {
        await producer.close();
        await gateway.close();
      },
    };
  }

  test('a single message goes on the queue of a carrier that takes messages, at once', async () => {
    const { depth, send, inBacklogs, close } = await start();
    // The gateway looks at the carriers every second.
    await eventually(async () => {
      await send();
      expect((await depth()).interactive).toBeGreaterThan(0);
    });
    const before = await inBacklogs();
    await send();
    expect(await inBacklogs()).toBe(before);
    await close();
  });

  test('a message waits in the backlog of its account while no carrier takes any', async () => {
    const { depth, send, inBacklogs, worker, close } = await start();
    await worker('down');
    await eventually(async () => {
      const before = await inBacklogs();
      await send();
      expect(await inBacklogs()).toBe(before + 1);
    });
    const { interactive } = await depth();
    await send(3);
    expect((await depth()).interactive).toBe(interactive);
    await close();
  });

  test('what a slow carrier cannot take soon waits in the backlog, and its queue stays short', async () => {
    const { depth, send, inBacklogs, close } = await start({}, 10);
    await eventually(async () => {
      await send();
      expect((await depth()).interactive).toBeGreaterThan(0);
    });
    await send(100);
    expect((await depth()).interactive).toBeLessThan(50);
    expect(await inBacklogs()).toBeGreaterThan(50);
    await close();
  });

  const redisUrl = testRedisUrl();
  if (backEnd !== 'redis' || redisUrl === undefined) return;
  test('what the queue does not take because Redis is cut off is in the backlog', async () => {
    const proxy = await TcpProxy.before(redisUrl);
    const { depth, send, inBacklogs, log, close } = await start({ REDIS_URL: proxy.through(redisUrl) });
    await eventually(async () => {
      await send();
      expect((await depth()).interactive).toBeGreaterThan(0);
    });
    const [before, { interactive }] = [await inBacklogs(), await depth()];
    proxy.cut();
    await send(10);
    await eventually(async () => expect(await inBacklogs()).toBe(before + 10));
    const words = 'the queue cannot be reached (REDIS_URL); orders wait in the backlogs until it can';
    await eventually(() => log.saying(words).some(({ err }) => !/writeable/.test(JSON.stringify(err))));
    proxy.mend();
    await eventually(async () => expect((await depth()).interactive).toBe(interactive));
    await close();
    await proxy.close();
  });
});
