import { expect, test } from '@jest/globals';
import type { SmppCarrierSettings } from '#carrier';
import { aCarrier } from '../support/a-carrier.js';
import { type DeliverFields, deliverBody, tlv } from '../support/scripted-smsc.js';
import { until } from '../support/until.js';

const REFERENCE = tlv(0x0204, Buffer.from([0, 7]));

async function inboundBy(settings: Partial<SmppCarrierSettings>, fields: DeliverFields) {
  const { smsc, subject } = await aCarrier(settings);
  smsc.connection.deliver(deliverBody({ esmClass: 0, message: 'STOP', ...fields }));
  const { source, destination } = await until('a message', () => subject.inbound[0]);
  return { source, destination };
}

async function receiptNumberBy(settings: Partial<SmppCarrierSettings>, fields: DeliverFields) {
  const { smsc, subject } = await aCarrier(settings);
  smsc.connection.deliver(deliverBody({ message: 'stat:DELIVRD', tlvs: [REFERENCE], ...fields }));
  return (await until('a receipt', () => subject.receipts[0])).destination;
}

test.each([
  ['TON 2', { source: '7700900123', sourceTon: 2, destination: '7700900999', destinationTon: 2 }],
  [
    'TON 2, with the trunk prefix',
    { source: '07700900123', sourceTon: 2, destination: '07700900999', destinationTon: 2 },
  ],
  [
    'TON 0, with the trunk prefix',
    { source: '07700900123', sourceTon: 0, destination: '07700900999', destinationTon: 0 },
  ],
])('national numbers of %s are those of the calling code', async (_what, fields) => {
  expect(await inboundBy({ callingCode: '44' }, fields)).toEqual({
    source: '447700900123',
    destination: '447700900999',
  });
});

test('each address goes by its own type: a short code beside a national number stays', async () => {
  expect(
    await inboundBy(
      { callingCode: '44' },
      { source: '7700900123', sourceTon: 2, destination: '60999', destinationTon: 2 },
    ),
  ).toEqual({ source: '447700900123', destination: '60999' });
  expect(
    await inboundBy({ callingCode: '44' }, { source: '46701234567', destination: '7700900999', destinationTon: 2 }),
  ).toEqual({ source: '46701234567', destination: '447700900999' });
});

test('without a calling code numbers are what the carrier wrote', async () => {
  expect(await inboundBy({}, { source: '7700900123', sourceTon: 2, destination: '07700900999' })).toEqual({
    source: '7700900123',
    destination: '07700900999',
  });
});

test('a receipt by our reference names the number that was sent to, and its TON may be ours', async () => {
  expect(await receiptNumberBy({ callingCode: '44' }, { source: '07700900123' })).toBe('447700900123');
  expect(await receiptNumberBy({ callingCode: '44' }, { source: '447700900123', sourceTon: 2 })).toBe('447700900123');
  expect(await receiptNumberBy({}, { source: '07700900123' })).toBe('07700900123');
});
