import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OutboundSegment, SmppCarrierSettings } from '#carrier';
import { ScriptedSmsc, type SeenSubmit } from '../support/scripted-smsc.js';
import { TestCarrier } from '../support/test-carrier.js';

let smsc: ScriptedSmsc;
beforeAll(async () => {
  smsc = await ScriptedSmsc.listen();
});
afterAll(() => smsc.close());

async function onTheWire(
  segment: Partial<OutboundSegment>,
  settings: Partial<SmppCarrierSettings> = {},
): Promise<SeenSubmit> {
  const subject = await TestCarrier.bound(smsc, settings);
  try {
    expect(await subject.submit(segment)).toMatchObject({ kind: 'accepted' });
  } finally {
    await subject.carrier.close(1_000);
  }
  const seen = smsc.submits.at(-1);
  if (seen === undefined) throw new Error('nothing was submitted');
  return seen;
}

/** Printable ASCII that is the same octet in ASCII, in ISO 8859-1 and in the GSM alphabet, with CR and LF. */
const SAME = ' !"#%&\'()*+,-.:;<=>?0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\r\n';
const DIFFERENT: ReadonlyArray<readonly [character: string, gsm0338: number, latin1: number]> = [
  ['@', 0x00, 0x40],
  ['$', 0x02, 0x24],
  ['_', 0x11, 0x5f],
  ['£', 0x01, 0xa3],
  ['¥', 0x03, 0xa5],
  ['§', 0x5f, 0xa7],
  ['¤', 0x24, 0xa4],
  ['¡', 0x40, 0xa1],
  ['¿', 0x60, 0xbf],
];

describe('what is billed is what goes on the wire', () => {
  test('every character of the standard set is one octet of the GSM alphabet', async () => {
    const text = SAME + DIFFERENT.map(([character]) => character).join('');
    const { shortMessage, dataCoding, esmClass } = await onTheWire({ text });
    expect([...shortMessage]).toEqual([...Buffer.from(SAME, 'latin1'), ...DIFFERENT.map(([, gsm]) => gsm)]);
    expect({ dataCoding, esmClass }).toEqual({ dataCoding: 0, esmClass: 0 });
  });

  test('every character of the standard set is its ISO 8859-1 octet where the carrier is configured so', async () => {
    const text = SAME + DIFFERENT.map(([character]) => character).join('');
    const { shortMessage, dataCoding } = await onTheWire({ text }, { defaultAlphabet: 'latin1' });
    expect([...shortMessage]).toEqual([...Buffer.from(SAME, 'latin1'), ...DIFFERENT.map(([, , latin1]) => latin1)]);
    expect(dataCoding).toBe(0);
  });

  test.each([...'^{}[]\\|~`€öÄ'])('%s is never written as another character', async (character) => {
    const subject = await TestCarrier.bound(smsc);
    const before = smsc.submits.length;
    expect(await subject.submit({ text: character })).toEqual({ kind: 'refused', code: 'UNENCODABLE' });
    await subject.carrier.close(1_000);
    expect(smsc.submits).toHaveLength(before);
  });

  test('160 standard characters are 160 octets, the 153 of a part have their header before them', async () => {
    expect((await onTheWire({ text: 'x'.repeat(160) })).shortMessage).toHaveLength(160);
    const part = await onTheWire({ text: 'y'.repeat(153), part: { reference: 0xab, number: 2, total: 255 } });
    expect(part.esmClass).toBe(0x40);
    expect([...part.shortMessage.subarray(0, 6)]).toEqual([0x05, 0x00, 0x03, 0xab, 255, 2]);
    expect(part.shortMessage.subarray(6).toString('latin1')).toBe('y'.repeat(153));
  });

  test('extended text is UTF-16BE with data_coding 8, surrogate pairs included', async () => {
    const text = `ö€—😀${'ж'.repeat(58)}`;
    const seen = await onTheWire({ text, encoding: 'extended', part: { reference: 1, number: 1, total: 2 } });
    expect(seen.dataCoding).toBe(8);
    expect(seen.esmClass).toBe(0x40);
    expect(seen.shortMessage).toHaveLength(6 + 126);
    expect(seen.shortMessage.subarray(6)).toEqual(Buffer.from(text, 'utf16le').swap16());
  });

  test('each submit asks for a receipt and carries our reference, and leaves validity to the carrier', async () => {
    const seen = await onTheWire({ userMessageReference: 0xbeef });
    expect(seen.registeredDelivery).toBe(1);
    expect(seen.tlvs).toEqual(Buffer.from([0x02, 0x04, 0, 2, 0xbe, 0xef]));
    expect(seen.validityPeriod).toBe('');
    expect(seen.destination).toEqual({ ton: 1, npi: 1, address: '46700100200' });
  });

  test.each([
    [86_400, '000001000000000R'],
    [2_592_000, '000030000000000R'],
    [3_661, '000000010101000R'],
  ])('a validity of %i seconds is relative', async (validityPeriodSeconds, expected) => {
    expect((await onTheWire({}, { validityPeriodSeconds })).validityPeriod).toBe(expected);
  });

  test.each([
    [600, undefined, '000000001000000R'],
    [600, 3_600, '000000001000000R'],
    [7_200, 3_600, '000000010000000R'],
    [604_800, undefined, '000007000000000R'],
  ])(
    'of a message of %i seconds and a carrier of %s the shorter validity is written',
    async (own, setting, expected) => {
      const settings = setting === undefined ? {} : { validityPeriodSeconds: setting };
      expect((await onTheWire({ validitySeconds: own }, settings)).validityPeriod).toBe(expected);
    },
  );

  test.each([
    ['Heliograph', { ton: 5, npi: 0, address: 'Heliograph' }],
    ['My Shop-1', { ton: 5, npi: 0, address: 'My Shop-1' }],
    ['+46700100200', { ton: 1, npi: 1, address: '46700100200' }],
    ['46700100200', { ton: 1, npi: 1, address: '46700100200' }],
    ['71234', { ton: 3, npi: 0, address: '71234' }],
  ])('the sender %s has its type of number', async (sender, expected) => {
    expect((await onTheWire({}, { sender })).sender).toEqual(expected);
  });

  test.each([
    ['sender', 'TwelveLetter'],
    ['sender', 'a@b'],
    ['windowSize', 0],
    ['windowSize', 1.5],
    ['submitsPerSecond', 0],
    ['port', 70_000],
    ['validityPeriodSeconds', 2_592_001],
    ['tlsCaPem', 'no certificate'],
  ])('a carrier cannot be made with %s %s', (name, value) => {
    expect(() => new TestCarrier(smsc, { [name]: value })).toThrow(RangeError);
  });
});
