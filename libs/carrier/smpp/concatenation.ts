import type { OutboundSegment } from '../carrier.js';
import { octets, parameter, TLV, twoOctets } from './pdu.js';
import type { Concatenation } from './settings.js';

// What tells a handset which segments make one message. A message of one segment has nothing of it.

/**
 * The header in front of a segment's text (3GPP TS 23.040 sections 9.2.3.24.1 and 9.2.3.24.8). A segment of standard
 * text is billed at 153 characters. With the 8-bit header they fill the 140 octets of a short message exactly; the
 * 16-bit header is one octet longer and leaves room for 152. So `udh16` applies to extended text, and standard text
 * keeps the 8-bit header. All segments of a message have the same header, as handsets need it.
 */
export function userDataHeader(form: Concatenation, { encoding, part }: OutboundSegment): string {
  if (part === undefined || form === 'sar') return '';
  const { reference, number, total } = part;
  return form === 'udh16' && encoding === 'extended'
    ? octets(0x06, 0x08, 0x04) + twoOctets(reference) + octets(total, number)
    : octets(0x05, 0x00, 0x03, reference & 0xff, total, number);
}

/** The optional parameters of a segment (SMPP 3.4 sections 5.3.2.22 to 24); all three are needed. */
export function sarParameters(form: Concatenation, { part }: OutboundSegment): string {
  if (part === undefined || form !== 'sar') return '';
  return (
    parameter(TLV.sarMsgRefNum, twoOctets(part.reference)) +
    parameter(TLV.sarTotalSegments, octets(part.total)) +
    parameter(TLV.sarSegmentSeqnum, octets(part.number))
  );
}
