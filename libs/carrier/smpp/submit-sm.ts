import type { OutboundSegment } from '../carrier.js';
import type { SmppAddress } from './address.js';
import { type DefaultAlphabet, UnencodableTextError, writeExtendedText, writeStandardText } from './alphabet.js';
import { COMMAND, cStrings, HEADER_OCTETS, writeHeader } from './pdu.js';

/** SMPP 3.4 section 4.4.1: sm_length is at most 254 octets. */
const SHORT_MESSAGE_OCTETS_MAX = 254;
const UDH_OCTETS = 6;
const ESM_CLASS_UDHI = 0x40;
const DATA_CODING_DEFAULT = 0x00;
const DATA_CODING_UCS2 = 0x08;
/** A final receipt, on success and on failure (SMPP 3.4 section 5.2.17). */
const REGISTERED_DELIVERY_FINAL = 0x01;
const TLV_USER_MESSAGE_REFERENCE = 0x0204;
const TLV_OCTETS = 6;
const DAY_SECONDS = 86_400;
export const VALIDITY_PERIOD_SECONDS_MAX = 30 * DAY_SECONDS;

export interface SubmitFormat {
  readonly sender: SmppAddress;
  readonly defaultAlphabet: DefaultAlphabet;
  readonly validityPeriodSeconds?: number | undefined;
}

/** Everything that is the same in all submits of a carrier is made once; a submit costs two copies and its text. */
export class SubmitEncoder {
  private readonly head: Buffer;
  private readonly validity: Buffer;

  constructor(private readonly format: SubmitFormat) {
    const { ton, npi, address } = format.sender;
    // service_type, then the sender, then ton and npi of an international E.164 destination.
    this.head = Buffer.concat([cStrings(''), Buffer.from([ton, npi]), cStrings(address), Buffer.from([1, 1])]);
    // schedule_delivery_time and validity_period.
    this.validity = cStrings('', relativeValidity(format.validityPeriodSeconds));
  }

  /**
   * The submit_sm of one segment (SMPP 3.4 section 4.4.1), exactly as it was billed.
   *
   * @throws UnencodableTextError when the text does not fit the alphabet or one short_message
   */
  encode(segment: OutboundSegment, sequence: number): Buffer {
    const { destination, encoding, text, part } = segment;
    const textOctets = encoding === 'standard' ? text.length : text.length * 2;
    const messageOctets = textOctets + (part === undefined ? 0 : UDH_OCTETS);
    if (messageOctets > SHORT_MESSAGE_OCTETS_MAX) {
      throw new UnencodableTextError(`${messageOctets} octets do not fit a short_message`);
    }
    const fixedOctets = HEADER_OCTETS + this.head.length + destination.length + 1 + 3 + this.validity.length + 5;
    const bytes = Buffer.allocUnsafe(fixedOctets + messageOctets + TLV_OCTETS);
    writeHeader(bytes, COMMAND.submitSm, 0, sequence);
    let at = HEADER_OCTETS + this.head.copy(bytes, HEADER_OCTETS);
    at += bytes.write(destination, at, 'latin1');
    bytes[at++] = 0;
    bytes[at++] = part === undefined ? 0 : ESM_CLASS_UDHI;
    bytes[at++] = 0; // protocol_id
    bytes[at++] = 0; // priority_flag
    at += this.validity.copy(bytes, at);
    bytes[at++] = REGISTERED_DELIVERY_FINAL;
    bytes[at++] = 0; // replace_if_present_flag
    bytes[at++] = encoding === 'standard' ? DATA_CODING_DEFAULT : DATA_CODING_UCS2;
    bytes[at++] = 0; // sm_default_msg_id
    bytes[at++] = messageOctets;
    if (part !== undefined) at = writeConcatenationHeader(bytes, at, part);
    at =
      encoding === 'standard'
        ? writeStandardText(bytes, at, text, this.format.defaultAlphabet)
        : writeExtendedText(bytes, at, text);
    at = bytes.writeUInt16BE(TLV_USER_MESSAGE_REFERENCE, at);
    at = bytes.writeUInt16BE(2, at);
    bytes.writeUInt16BE(segment.userMessageReference & 0xffff, at);
    return bytes;
  }
}

/** Concatenated short messages, 8-bit reference (3GPP TS 23.040 section 9.2.3.24.1): the form that leaves 153 characters. */
function writeConcatenationHeader(bytes: Buffer, offset: number, part: NonNullable<OutboundSegment['part']>): number {
  bytes[offset] = 0x05;
  bytes[offset + 1] = 0x00;
  bytes[offset + 2] = 0x03;
  bytes[offset + 3] = part.reference & 0xff;
  bytes[offset + 4] = part.total;
  bytes[offset + 5] = part.number;
  return offset + UDH_OCTETS;
}

/** Relative time (SMPP 3.4 section 7.1.1.2), which needs no agreement about clocks; empty leaves it to the carrier. */
function relativeValidity(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = seconds % DAY_SECONDS;
  return `0000${two(seconds / DAY_SECONDS)}${two(rest / 3600)}${two((rest % 3600) / 60)}${two(rest % 60)}000R`;
}
