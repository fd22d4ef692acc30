import { afterEach, expect, test } from '@jest/globals';
import { CHEAPEST_BACK_END } from '../support/queue.js';
import { deliverBody, ID, ScriptedSmsc } from '../support/scripted-smsc.js';
import { servicePerTest } from '../support/service-per-test.js';
import { until } from '../support/until.js';

let smsc: ScriptedSmsc | undefined;
afterEach(async () => {
  await smsc?.close();
  smsc = undefined;
});
const start = servicePerTest({ backEnd: CHEAPEST_BACK_END, carrier: 'none' });

test('a receipt from an address of 3,000 digits is stored at the first try, and nobody has to send it again', async () => {
  const carrier = await ScriptedSmsc.listen();
  smsc = carrier;
  const service = await start();
  await service.addCarrier({ port: carrier.port });
  await until('a bind', () => carrier.count(ID.bindTransceiver) === 1);
  // Digits that no index can compress.
  const source = Array.from({ length: 3_000 }, () => Math.floor(Math.random() * 10)).join('');
  carrier.connection.deliver(deliverBody({ source, message: 'id:nobodys stat:DELIVRD err:000' }));
  const answer = await until('an answer', () => carrier.seen.find(({ command }) => command === ID.deliverResponse));
  expect(answer.status).toBe(0);
  const rows = await service.database.query('select carrier_message_id, destination from parked_receipt');
  expect(rows).toEqual([{ carrier_message_id: 'nobodys', destination: '' }]);
});
