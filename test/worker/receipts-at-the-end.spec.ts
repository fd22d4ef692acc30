import { afterEach, describe, expect, test } from '@jest/globals';
import { findMessage } from '#persistence';
import { QUEUE_BACK_ENDS } from '../support/queue.js';
import { deliverBody, ScriptedSmsc } from '../support/scripted-smsc.js';
import { numberOf } from '../support/service.js';
import { servicePerTest } from '../support/service-per-test.js';
import { until } from '../support/until.js';

let smsc: ScriptedSmsc | undefined;
afterEach(async () => {
  await smsc?.close();
  smsc = undefined;
});

describe.each(QUEUE_BACK_ENDS)('a worker that is told to end, with the queue on %s', (backEnd) => {
  const start = servicePerTest({ backEnd, carrier: 'none' });

  test('loses no receipt that the carrier sent before it answered the unbind', async () => {
    const carrier = await ScriptedSmsc.listen();
    smsc = carrier;
    const service = await start();
    await service.addCarrier({ port: carrier.port });
    const numbers = Array.from({ length: 10 }, (_, index) => numberOf(index));
    const ids = await service.sendBatch(numbers.map((recipient) => ({ recipient, message: 'to the end' })));
    await service.untilStatuses({ sent: 10 });
    carrier.onUnbind = (pdu) => {
      for (const { sequence, destination } of carrier.submits) {
        const message = `id:id${sequence} stat:DELIVRD err:000`;
        pdu.connection.deliver(deliverBody({ source: destination.address, message }));
      }
      pdu.connection.respond(pdu);
    };
    const [worker] = service.runningWorkers;
    if (worker !== undefined) await service.stopWorker(worker);
    for (const id of ids) expect((await findMessage(service.database, id)).state).toBe('delivered');
    const answers = () => carrier.seen.filter(({ command, status }) => command === 0x80000005 && status === 0);
    await until('each is acknowledged', () => answers().length === 10);
  });
});
