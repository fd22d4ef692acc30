import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CARRIER_OPTIONS, type OutboundSegment, type SmppCarrierSettings } from '#carrier';
import { ID, ScriptedSmsc, type SeenSubmit, tlv } from '../support/scripted-smsc.js';
import { SMPP_OPTION_SAMPLES } from '../support/smpp-option-samples.js';
import { TestCarrier } from '../support/test-carrier.js';

let smsc: ScriptedSmsc;
beforeAll(async () => {
  smsc = await ScriptedSmsc.listen();
});
afterAll(() => smsc.close());

/** Each option's samples that need no TLS. */
const CHANGES = Object.entries(SMPP_OPTION_SAMPLES)
  .filter(([name]) => !name.startsWith('tls'))
  .flatMap(([name, samples]) => samples.map((sample) => [`${name}: ${JSON.stringify(sample)}`, sample] as const));

const part = { reference: 77, number: 2, total: 3 };
const SEGMENTS: readonly Partial<OutboundSegment>[] = [
  { text: 'a standard part @ $', part },
  { text: 'un bout de texte étendu €', encoding: 'extended', part },
  { text: 'short @' },
  { text: 'of an account', sender: 'Account', part },
];
const WHOLE: readonly Partial<OutboundSegment>[] = [
  { text: 'A whole text @ '.repeat(40), isWhole: true },
  { text: 'Un texte entier € '.repeat(40), isWhole: true, encoding: 'extended' },
];

/** What decides what a handset shows: the octets of the text with their header, how they are coded, and the sender. */
function shown({ sender, dataCoding, esmClass, shortMessage, tlvs }: SeenSubmit) {
  const reference = tlvs.indexOf(tlv(0x0204, Buffer.from([0, 7])));
  const others = reference === -1 ? tlvs : Buffer.concat([tlvs.subarray(0, reference), tlvs.subarray(reference + 6)]);
  return {
    sender,
    dataCoding,
    hasHeader: esmClass & 0x40,
    octets: shortMessage.toString('hex'),
    tlvs: others.toString('hex'),
  };
}

async function written(settings: Partial<SmppCarrierSettings>, segments: readonly Partial<OutboundSegment>[]) {
  const subject = await TestCarrier.bound(smsc, { windowSize: 20, ...settings });
  const before = smsc.count(ID.submit);
  for (const segment of segments) {
    expect(await subject.submit({ userMessageReference: 7, ...segment })).toMatchObject({ kind: 'accepted' });
  }
  const { wireFormat } = subject.carrier;
  await subject.carrier.close(1_000);
  return { shown: smsc.submits.slice(before).map(shown), wireFormat };
}

test('every option of an SMPP carrier has a sample that is tried here', () => {
  expect(Object.keys(SMPP_OPTION_SAMPLES).sort()).toEqual(CARRIER_OPTIONS.smpp.map(({ name }) => name).sort());
});

describe.each(CHANGES)('a message that was begun, after the change to %s', (_name, sample) => {
  test('is written as before', async () => {
    const before = await written({}, SEGMENTS);
    const format = before.wireFormat.text;
    const after = await written(
      sample,
      SEGMENTS.map((segment) => ({ ...segment, format })),
    );
    expect(after.shown).toEqual(before.shown);
  });

  test('and back is written as with it', async () => {
    const segments = new TestCarrier(smsc, sample).carrier.wireFormat.unit === 'message' ? WHOLE : SEGMENTS;
    const before = await written(sample, segments);
    const format = before.wireFormat.text;
    const after = await written(
      {},
      segments.map((segment) => ({ ...segment, format })),
    );
    expect(after.shown).toEqual(before.shown);
  });

  test('has another format where anything of it would look otherwise', async () => {
    const before = await written({}, SEGMENTS);
    const after = await written(sample, SEGMENTS);
    const looksTheSame = JSON.stringify(after.shown) === JSON.stringify(before.shown);
    expect(looksTheSame || after.wireFormat.text !== before.wireFormat.text).toBe(true);
  });
});
