import type { OutboundSegment } from '../carrier.js';

/**
 * How the segments of a long message are joined: by a user data header with an 8-bit or a 16-bit reference, by the
 * sar_* parameters, or not at all, because the carrier gets the whole message in message_payload and splits it itself.
 */
export type Concatenation = 'udh8' | 'udh16' | 'sar' | 'payload';

type Part = NonNullable<OutboundSegment['part']>;

const NOTHING = Buffer.alloc(0);
const TLV_SAR_MSG_REF_NUM = 0x020c;
const TLV_SAR_TOTAL_SEGMENTS = 0x020e;
const TLV_SAR_SEGMENT_SEQNUM = 0x020f;

/**
 * The header in front of a segment's text (3GPP TS 23.040 sections 9.2.3.24.1 and 9.2.3.24.8). A segment of standard
 * text is billed at 153 characters. With the 8-bit header they fill the 140 octets of a short message exactly; the
 * 16-bit header is one octet longer and leaves room for 152. So `udh16` applies to extended text, and standard text
 * keeps the 8-bit header. All segments of a message have the same header, as handsets need it.
 */
export function userDataHeader(form: Concatenation, { encoding, part }: OutboundSegment): Buffer {
  if (part === undefined || form === 'sar') return NOTHING;
  const { reference, number, total } = part;
  return form === 'udh16' && encoding === 'extended'
    ? Buffer.from([0x06, 0x08, 0x04, (reference >>> 8) & 0xff, reference & 0xff, total, number])
    : Buffer.from([0x05, 0x00, 0x03, reference & 0xff, total, number]);
}

/** The optional parameters of a segment (SMPP 3.4 sections 5.3.2.22 to 24); all three are needed. */
export function sarParameters(form: Concatenation, part: Part | undefined): Buffer {
  if (part === undefined || form !== 'sar') return NOTHING;
  const bytes = Buffer.alloc(16);
  let at = parameterHead(bytes, 0, TLV_SAR_MSG_REF_NUM, 2);
  at = bytes.writeUInt16BE(part.reference & 0xffff, at);
  at = bytes.writeUInt8(part.total, parameterHead(bytes, at, TLV_SAR_TOTAL_SEGMENTS, 1));
  bytes.writeUInt8(part.number, parameterHead(bytes, at, TLV_SAR_SEGMENT_SEQNUM, 1));
  return bytes;
}

/** Writes tag and length of an optional parameter and returns the offset of its value (section 3.2.4.1). */
export function parameterHead(bytes: Buffer, offset: number, tag: number, octets: number): number {
  return bytes.writeUInt16BE(octets, bytes.writeUInt16BE(tag, offset));
}
