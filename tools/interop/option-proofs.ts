import assert from 'node:assert/strict';
import { planSegments } from '#billing';
import type { OutboundSegment, SmppCarrierSettings } from '#carrier';
import { decodeGsm } from '../../apps/carrier-simulator/gsm-alphabet.js';
import { SMPP_OPTION_SAMPLES } from '../../test/support/smpp-option-samples.js';
import type { TestCarrier } from '../../test/support/test-carrier.js';
import { until } from '../../test/support/until.js';
import type { ForeignServer, Seen } from './foreign-server.js';
import { type Proof, withCarrier } from './proofs.js';

const TEXTS = [
  'short @ £',
  'Three parts of standard text @ £5, $6 and more. '.repeat(8),
  'Drei Teile für 5 € und 🙂 mehr. '.repeat(5),
] as const;
const UDHI = 0x40;

/**
 * For each option of a carrier that changes what is written or how it is bound: the server decodes messages that are
 * written with it, and messages that were begun with it, when the carrier is set otherwise by then. Both are the texts
 * that were sent.
 */
export const OPTION_PROOFS: readonly Proof[] = Object.entries(SMPP_OPTION_SAMPLES)
  // These servers speak no TLS.
  .filter(([name]) => !name.startsWith('tls'))
  .flatMap(([name, samples]) => samples.map((sample) => proofOf(name, sample)));

function proofOf(name: string, sample: Partial<SmppCarrierSettings>): Proof {
  const what = `option ${name} ${JSON.stringify({ ...sample }[name as keyof SmppCarrierSettings])}`;
  return [
    what,
    async (server) => {
      let [format, isWhole] = ['', false];
      await withCarrier(server, sample, async (subject) => {
        const { text, unit } = subject.carrier.wireFormat;
        [format, isWhole] = [text, unit === 'message'];
        await sendAll(server, subject, sample, { isWhole });
      });
      await withCarrier(server, {}, (subject) => sendAll(server, subject, sample, { isWhole, format }));
    },
  ];
}

async function sendAll(
  server: ForeignServer,
  subject: TestCarrier,
  { defaultAlphabet, fixedSender }: Partial<SmppCarrierSettings>,
  how: Pick<OutboundSegment, 'isWhole' | 'format'>,
): Promise<void> {
  for (const [index, text] of TEXTS.entries()) {
    const { segments, encoding } = planSegments(text);
    const pieces = how.isWhole ? [text] : segments;
    const before = server.of('submit_sm').length;
    for (const [at, piece] of pieces.entries()) {
      const part = pieces.length > 1 ? { part: { reference: 0xa0 + index, number: at + 1, total: pieces.length } } : {};
      const outcome = await subject.submit({ ...how, ...part, encoding, text: piece, sender: 'Account' });
      assert.equal(outcome.kind, 'accepted');
    }
    await until('all submits', () => server.of('submit_sm').length === before + pieces.length);
    const seen = server.of('submit_sm').slice(before);
    assert.equal(seen.map((each) => textOf(each, defaultAlphabet ?? 'gsm0338')).join(''), text);
    if (pieces.length > 1)
      assert.deepEqual(
        seen.map(numberOf),
        pieces.map((_piece, at) => `${at + 1}/${pieces.length}`),
      );
    assert.deepEqual([...new Set(seen.map((each) => each.source_addr))], [fixedSender ? 'Heliograph' : 'Account']);
  }
}

function octetsOf(seen: Seen): Buffer {
  const payload = seen.message_payload;
  return Buffer.from(typeof payload === 'string' && payload !== '' ? payload : String(seen.short_message), 'hex');
}

function headerOctets(seen: Seen): number {
  return (Number(seen.esm_class) & UDHI) === 0 ? 0 : 1 + (octetsOf(seen)[0] ?? 0);
}

function textOf(seen: Seen, alphabet: 'gsm0338' | 'latin1'): string {
  const octets = octetsOf(seen).subarray(headerOctets(seen));
  if (seen.data_coding === 8) return Buffer.from(octets).swap16().toString('utf16le');
  return alphabet === 'latin1' ? octets.toString('latin1') : decodeGsm(octets);
}

/** Which part of how many, as a header or as parameters. */
function numberOf(seen: Seen): string {
  const end = headerOctets(seen);
  const octets = octetsOf(seen);
  return end === 0 ? `${seen.sar_segment_seqnum}/${seen.sar_total_segments}` : `${octets[end - 1]}/${octets[end - 2]}`;
}
