import { describe, expect, test } from '@jest/globals';
import type { InboundPart, SmppCarrierSettings } from '#carrier';
import { aCarrier } from '../support/a-carrier.js';
import { cString, deliverBody, ID, ScriptedSmsc, tlv } from '../support/scripted-smsc.js';
import { TestCarrier } from '../support/test-carrier.js';
import { until } from '../support/until.js';

const statuses = (smsc: ScriptedSmsc) =>
  smsc.seen.filter(({ command }) => command === ID.deliverResponse).map(({ status }) => status);

/** What the adapter reads from one deliver_sm. */
async function readBy(settings: Partial<SmppCarrierSettings>, body: Buffer): Promise<InboundPart> {
  const { smsc, subject } = await aCarrier(settings);
  smsc.connection.deliver(body);
  return until('a message', () => subject.inbound[0]);
}

describe('a message from a handset', () => {
  test('is acknowledged only after it is stored, and left with the carrier when it cannot be', async () => {
    const storing: Array<{ done: () => void; failed: (error: Error) => void }> = [];
    const onInbound = () => new Promise<void>((done, failed) => storing.push({ done, failed }));
    const smsc = await ScriptedSmsc.listen();
    const subject = await TestCarrier.bound(smsc, {}, { onInbound });
    try {
      for (const message of ['one', 'two']) smsc.connection.deliver(deliverBody({ esmClass: 0, message }));
      await until('both are being stored', () => storing.length === 2);
      smsc.connection.deliver(deliverBody({ message: 'id:1 stat:DELIVRD' }));
      await until('a receipt goes by them', () => statuses(smsc).length === 1);
      storing[0]?.done();
      await until('the first answer', () => statuses(smsc).length === 2);
      storing[1]?.failed(new Error('database down'));
      await until('the second answer', () => statuses(smsc).length === 3);
      expect(statuses(smsc)).toEqual([0, 0, 0x64]);
    } finally {
      await subject.carrier.close(0);
      await smsc.close();
    }
  });

  test('has its numbers and its text, and neither is logged', async () => {
    const { smsc, subject } = await aCarrier();
    const fields = { esmClass: 0, source: '46700999888', destination: '12345', message: 'my secret' };
    smsc.connection.deliver(deliverBody(fields));
    const part = await until('a message', () => subject.inbound[0]);
    expect(part).toMatchObject({ source: '46700999888', destination: '12345', text: 'my secret', part: undefined });
    expect(subject.deliveries).toEqual(['mobile-originated']);
    expect(JSON.stringify(subject.logLines)).not.toMatch(/my secret|46700999888/);
  });

  test.each([
    ['the default alphabet', 0, 'gsm0338', Buffer.from([0x00, 0x11, 0x1b, 0x65, 0x1b, 0x3c, 0x7d]), '@_€[ñ'],
    ['the default alphabet of a carrier with Latin-1', 0, 'latin1', Buffer.from([0x40, 0xe9]), '@é'],
    ['Latin-1', 3, 'gsm0338', Buffer.from('Größe', 'latin1'), 'Größe'],
    ['UCS-2', 8, 'gsm0338', Buffer.from('😀 Ж', 'utf16le').swap16(), '😀 Ж'],
    ['Latin-1 that ends in a zero octet', 3, 'gsm0338', Buffer.from('STOP\0'), 'STOP'],
    ['UCS-2 that ends in a zero', 8, 'gsm0338', Buffer.from('STOP\0', 'utf16le').swap16(), 'STOP'],
    ['ISO 8859-5', 6, 'gsm0338', Buffer.from([0xbf, 0xe0]), 'Пр'],
    ['ISO 8859-8', 7, 'gsm0338', Buffer.from([0xf9, 0xec]), 'של'],
    ['a class in the default alphabet', 0xf1, 'gsm0338', Buffer.from([0x00]), '@'],
    ['a class in UCS-2', 0x18, 'gsm0338', Buffer.from('Ж', 'utf16le').swap16(), 'Ж'],
    ['UCS-2 that the handset deletes', 0x48, 'gsm0338', Buffer.from('Ж', 'utf16le').swap16(), 'Ж'],
    ['octets that the handset deletes', 0x55, 'gsm0338', Buffer.from([0xde, 0xad]), 'dead'],
    ['compressed text', 0x60, 'gsm0338', Buffer.from([0xde, 0xad]), 'dead'],
    ['the default alphabet that the handset deletes', 0x40, 'gsm0338', Buffer.from([0x00]), '@'],
    ['octets', 4, 'gsm0338', Buffer.from([0xde, 0xad]), 'dead'],
  ] as const)('in %s (data_coding %i) is read', async (_name, dataCoding, defaultAlphabet, message, text) => {
    expect(await readBy({ defaultAlphabet }, deliverBody({ esmClass: 0, dataCoding, message }))).toMatchObject({
      text,
    });
  });

  test.each([
    ['an 8-bit reference', [5, 0, 3, 0xab, 3, 2], { reference: 0xab, total: 3, number: 2 }],
    ['a 16-bit reference', [6, 8, 4, 1, 0xab, 3, 2], { reference: 0x1ab, total: 3, number: 2 }],
    ['ports before it', [11, 5, 4, 0, 1, 0, 2, 0, 3, 9, 2, 1], { reference: 9, total: 2, number: 1 }],
    ['a place that cannot be', [5, 0, 3, 1, 2, 3], undefined],
  ])('in parts with %s is read, and its header is no text', async (_name, header, part) => {
    const message = Buffer.concat([Buffer.from(header), Buffer.from('part')]);
    const read = await readBy({}, deliverBody({ esmClass: 0x40, message }));
    expect([read.part, read.text]).toEqual([part, 'part']);
  });

  test('in parts by SAR parameters is read', async () => {
    const tlvs = [tlv(0x020c, Buffer.from([1, 2])), tlv(0x020e, Buffer.from([2])), tlv(0x020f, Buffer.from([1]))];
    const body = Buffer.concat([deliverBody({ esmClass: 0, message: 'part' }), ...tlvs]);
    expect(await readBy({}, body)).toMatchObject({ part: { reference: 258, total: 2, number: 1 }, text: 'part' });
  });

  test('with a header that is longer than the message is read as it is', async () => {
    const message = Buffer.from([0x20, 0x41]);
    expect(await readBy({}, deliverBody({ esmClass: 0x40, message }))).toMatchObject({ text: ' A', part: undefined });
  });

  test('is a possible repetition on its own connection only until it was answered', async () => {
    let isDown = true;
    const seen: InboundPart[] = [];
    const { smsc } = await aCarrier(
      {},
      {
        onInbound: async (part: InboundPart) => {
          seen.push(part);
          if (isDown) throw new Error('database down');
        },
      },
    );
    for (let count = 1; count <= 3; count += 1) {
      smsc.connection.deliver(deliverBody({ esmClass: 0, message: 'yes' }));
      await until('an answer', () => statuses(smsc).length === count);
      isDown = false;
    }
    expect(seen.map(({ mayRepeat }) => mayRepeat)).toEqual([false, true, false]);
    expect(new Set(seen.map(({ connection }) => connection)).size).toBe(1);
    expect(new Set(seen.map(({ fingerprint }) => fingerprint.toString('hex'))).size).toBe(1);
  });
});

test('a message from a handset that was answered after more than a second may come again, and again', async () => {
  let aheadMs = 0;
  const seen: boolean[] = [];
  const { smsc } = await aCarrier(
    {},
    {
      now: () => performance.now() + aheadMs,
      onInbound: async ({ mayRepeat }) => {
        seen.push(mayRepeat);
        aheadMs += 1_500;
      },
    },
  );
  for (let count = 1; count <= 3; count += 1) {
    smsc.connection.deliver(deliverBody({ esmClass: 0, message: 'yes' }));
    await until('an answer', () => statuses(smsc).length === count);
  }
  expect(seen).toEqual([false, true, true]);
});

test('two messages from a handset that come together are two, because no carrier repeats one at once', async () => {
  const seen: boolean[] = [];
  let isStored = () => {};
  const stored = new Promise<void>((resolve) => {
    isStored = resolve;
  });
  const onInbound = ({ mayRepeat }: InboundPart) => {
    seen.push(mayRepeat);
    return stored;
  };
  const { smsc } = await aCarrier({}, { onInbound });
  for (let count = 1; count <= 2; count += 1) smsc.connection.deliver(deliverBody({ esmClass: 0, message: 'yes' }));
  await until('both are being stored', () => seen.length === 2);
  isStored();
  await until('both answers', () => statuses(smsc).length === 2);
  expect(seen).toEqual([false, false]);
});

test('a prompt answer to a second one says nothing of the first, whose answer is late', async () => {
  let aheadMs = 0;
  const seen: boolean[] = [];
  const ends: (() => void)[] = [];
  const onInbound = ({ mayRepeat }: InboundPart) => {
    seen.push(mayRepeat);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const { smsc } = await aCarrier({}, { now: () => performance.now() + aheadMs, onInbound });
  const comes = async (count: number) => {
    smsc.connection.deliver(deliverBody({ esmClass: 0, message: 'yes' }));
    await until('it is being stored', () => seen.length === count);
  };
  await comes(1);
  aheadMs += 900;
  await comes(2);
  aheadMs += 600;
  ends[1]?.();
  await until('the second answer', () => statuses(smsc).length === 1);
  ends[0]?.();
  await until('the first answer', () => statuses(smsc).length === 2);
  await comes(3);
  ends[2]?.();
  expect(seen).toEqual([false, false, true]);
});

test('a message from a handset that comes as data_sm is read like any other', async () => {
  const { smsc, subject } = await aCarrier();
  const body = Buffer.concat([
    cString(''),
    Buffer.from([1, 1]),
    cString('46700100200'),
    Buffer.from([3, 0]),
    cString('12345'),
    Buffer.from([0, 0, 0]),
    tlv(0x0424, Buffer.from('hello')),
  ]);
  smsc.connection.send(ID.data, 0, 7, body);
  await until('an answer', () => smsc.count(ID.dataResponse) === 1);
  expect(subject.inbound).toMatchObject([{ source: '46700100200', destination: '12345', text: 'hello' }]);
});
