import { describe, expect, test } from '@jest/globals';
import type { OutboundSegment, SmppCarrierSettings } from '#carrier';
import { aCarrier } from '../support/a-carrier.js';
import type { SeenSubmit } from '../support/scripted-smsc.js';

const PART = { reference: 0xab, number: 2, total: 3 };
const REFERENCE_TLV = [0x02, 0x04, 0, 2, 0, 7];

async function onTheWire(
  settings: Partial<SmppCarrierSettings>,
  segment: Partial<OutboundSegment> = {},
): Promise<SeenSubmit> {
  const { smsc, subject } = await aCarrier(settings);
  expect(await subject.submit(segment)).toMatchObject({ kind: 'accepted' });
  const [seen] = smsc.submits;
  if (seen === undefined) throw new Error('nothing was submitted');
  return seen;
}

describe('what a carrier wants in every submit', () => {
  test.each([
    ['service_type', { serviceType: 'VMA' }, { serviceType: 'VMA' }],
    ['data_coding of standard text', { dataCoding: 0xf1 }, { dataCoding: 0xf1 }],
    ['the messaging mode', { messagingMode: 'store-and-forward' }, { esmClass: 3 }],
    ['priority_flag', { priority: 2 }, { priorityFlag: 2 }],
    ['registered_delivery', { registeredDelivery: 0x11 }, { registeredDelivery: 0x11 }],
    ['the type of the sender', { sourceTon: 0, sourceNpi: 1 }, { sender: { ton: 0, npi: 1, address: 'Heliograph' } }],
    [
      'the type of the destination',
      { destinationTon: 2, destinationNpi: 8 },
      { destination: { ton: 2, npi: 8, address: '46700100200' } },
    ],
  ] as ReadonlyArray<readonly [string, Partial<SmppCarrierSettings>, object]>)(
    '%s',
    async (_what, settings, expected) => {
      expect(await onTheWire(settings)).toMatchObject(expected);
    },
  );

  test('the octets of standard text are those of its alphabet whatever data_coding says', async () => {
    const seen = await onTheWire({ dataCoding: 1, defaultAlphabet: 'latin1' }, { text: '@$_' });
    expect([seen.dataCoding, ...seen.shortMessage]).toEqual([1, 0x40, 0x24, 0x5f]);
  });

  test('extended text stays UCS-2, with the messaging mode beside the header flag', async () => {
    const settings = { dataCoding: 0xf1, messagingMode: 'store-and-forward' } as const;
    const seen = await onTheWire(settings, { text: 'ö', encoding: 'extended', part: PART });
    expect([seen.dataCoding, seen.esmClass]).toEqual([8, 0x43]);
  });

  test('a carrier of SMPP 3.3 gets no optional parameters', async () => {
    expect((await onTheWire({ interfaceVersion: '3.3' })).tlvs).toHaveLength(0);
  });
});

describe('the sender that a handset shows', () => {
  test.each([
    ['Shop', { ton: 5, npi: 0, address: 'Shop' }],
    ['46700100300', { ton: 1, npi: 1, address: '46700100300' }],
    ['+46700100300', { ton: 1, npi: 1, address: '46700100300' }],
    ['72000', { ton: 3, npi: 0, address: '72000' }],
  ])("is the message's own, such as %s", async (sender, expected) => {
    expect((await onTheWire({}, { sender })).sender).toEqual(expected);
  });

  test("is the carrier's where the message has none, or where the carrier allows only one", async () => {
    const { smsc, subject } = await aCarrier({ sender: '72000', fixedSender: true });
    await subject.submit({ sender: 'Shop' });
    await subject.submit({ sender: undefined });
    expect(smsc.submits.map(({ sender }) => sender.address)).toEqual(['72000', '72000']);
  });

  test('is never mixed up between messages of many accounts', async () => {
    const { smsc, subject } = await aCarrier({});
    const senders = Array.from({ length: 1_500 }, (_, index) => `S${index % 1_200}`);
    for (const sender of senders) await subject.submit({ sender });
    expect(smsc.submits.map(({ sender }) => sender.address)).toEqual(senders);
  });

  test.each(['TwelveLetter', 'a@b', 'Grüße', '', '4670010020012345'])(
    'is refused before anything is written when it cannot be written: %j',
    async (sender) => {
      const { smsc, subject } = await aCarrier({ windowSize: 1 });
      expect(await subject.submit({ sender })).toEqual({ kind: 'refused', code: 'INVALID_SENDER' });
      expect(await subject.submit()).toMatchObject({ kind: 'accepted' });
      expect(smsc.submits).toHaveLength(1);
    },
  );
});

describe('the segments of a long message', () => {
  const full = { text: 'y'.repeat(153), part: PART };

  test('carry a header with an 8-bit reference unless told otherwise, and 153 characters fit beside it', async () => {
    const { esmClass, shortMessage } = await onTheWire({}, full);
    expect(esmClass).toBe(0x40);
    expect([...shortMessage.subarray(0, 6)]).toEqual([5, 0, 3, 0xab, 3, 2]);
    expect(shortMessage).toHaveLength(159);
  });

  test('carry a 16-bit reference by udh16 in extended text, within 140 octets', async () => {
    const segment = { text: 'ö'.repeat(63), encoding: 'extended', part: PART } as const;
    const { esmClass, shortMessage } = await onTheWire({ concatenation: 'udh16' }, segment);
    expect(esmClass).toBe(0x40);
    expect([...shortMessage.subarray(0, 7)]).toEqual([6, 8, 4, 0, 0xab, 3, 2]);
    expect(shortMessage.length).toBeLessThanOrEqual(140);
  });

  test.each([153, 20])(
    'keep the 8-bit reference by udh16 in standard text, also the last one of %i characters, because 153 do not fit otherwise',
    async (length) => {
      const { shortMessage } = await onTheWire({ concatenation: 'udh16' }, { text: 'y'.repeat(length), part: PART });
      expect([...shortMessage.subarray(0, 6)]).toEqual([5, 0, 3, 0xab, 3, 2]);
    },
  );

  test('carry three parameters and no header by sar', async () => {
    const { esmClass, shortMessage, tlvs } = await onTheWire({ concatenation: 'sar' }, full);
    expect(esmClass).toBe(0);
    expect(shortMessage.toString('latin1')).toBe('y'.repeat(153));
    expect([...tlvs]).toEqual([0x02, 0x0c, 0, 2, 0, 0xab, 0x02, 0x0e, 0, 1, 3, 0x02, 0x0f, 0, 1, 2, ...REFERENCE_TLV]);
  });

  test('stay with the carrier by payload: one submit of the whole message, to be cut by it', async () => {
    const { smsc, subject, carrier } = await aCarrier({ concatenation: 'payload' });
    expect(carrier.wireFormat.unit).toBe('message');
    const standard = '@'.repeat(39_015);
    const extended = 'ж'.repeat(255 * 63);
    expect(await subject.submit({ text: standard })).toMatchObject({ kind: 'accepted' });
    expect(await subject.submit({ text: extended, encoding: 'extended' })).toMatchObject({ kind: 'accepted' });
    const [first, second] = smsc.submits;
    expect([first?.shortMessage.length, first?.esmClass, first?.dataCoding]).toEqual([0, 0, 0]);
    expect(first?.tlvs).toEqual(
      Buffer.concat([
        Buffer.from([0x04, 0x24, 39_015 >> 8, 39_015 & 0xff]),
        Buffer.alloc(39_015),
        Buffer.from(REFERENCE_TLV),
      ]),
    );
    expect(second?.dataCoding).toBe(8);
    expect(second?.tlvs.subarray(4, -6)).toEqual(Buffer.from(extended, 'utf16le').swap16());
  });

  test.each([
    [160, 'standard', 160],
    [70, 'extended', 140],
  ] as const)(
    'by payload a message of %i characters of %s text is a plain short message',
    async (length, encoding, octets) => {
      const { shortMessage, tlvs } = await onTheWire(
        { concatenation: 'payload' },
        { text: 'y'.repeat(length), encoding },
      );
      expect(shortMessage).toHaveLength(octets);
      expect([...tlvs]).toEqual(REFERENCE_TLV);
    },
  );

  test('more than a payload holds is refused before anything is written', async () => {
    const { smsc, subject } = await aCarrier({ concatenation: 'payload' });
    const segment = { text: 'ж'.repeat(32_768), encoding: 'extended' } as const;
    expect(await subject.submit(segment)).toEqual({ kind: 'refused', code: 'UNENCODABLE' });
    expect(smsc.submits).toEqual([]);
  });

  test('a segment is the unit of every other form', async () => {
    for (const concatenation of ['udh8', 'udh16', 'sar'] as const) {
      expect((await aCarrier({ concatenation })).carrier.wireFormat.unit).toBe('segment');
    }
  });
});

describe('errors that a carrier means in its own way', () => {
  test.each([
    [0x401, { kind: 'throttled', code: 'SMPP_0x00000401' }],
    [0x45, { kind: 'temporary', code: 'ESME_RSUBMITFAIL' }],
    [0x14, { kind: 'refused', code: 'ESME_RMSGQFUL' }],
    [0x0b, { kind: 'refused', code: 'ESME_RINVDSTADR' }],
  ])('status %i', async (status, expected) => {
    const errorCodes = { '0x401': 'throttled', '0x45': 'temporary', '20': 'refused' } as const;
    const { smsc, subject } = await aCarrier({ errorCodes });
    smsc.onSubmit = (submit) => submit.connection.respond(submit, status);
    expect(await subject.submit()).toEqual(expected);
  });
});
