import { countSegments, encodingOf } from '#billing';
import type { OutboundSegment } from '../carrier.js';
import { sarParameters, userDataHeader } from './concatenation.js';
import { GSM_ALPHABET } from './inbound-text.js';
import { COMMAND, cString, ESM_CLASS_UDHI, encodePdu, octets, parameter, TLV, twoOctets } from './pdu.js';
import type { CompleteSettings, DefaultAlphabet } from './settings.js';
import { validityPeriod } from './validity-period.js';

/** SMPP 3.4 section 4.4.1: sm_length is at most 254 octets. */
const SHORT_MESSAGE_OCTETS_MAX = 254;
/** The length of an optional parameter is 16 bits. */
const PAYLOAD_OCTETS_MAX = 0xffff;
const ESM_CLASS_MODES = { default: 0, datagram: 1, forward: 2, 'store-and-forward': 3 } as const;
const DATA_CODING_UCS2 = 0x08;
const SHORT_CODE_DIGITS_MAX = 6;
/** The characters of standard text that have other octets in the GSM alphabet than in ISO 8859-1. */
const GSM_OWN = /[@£$¥_¤¡§¿]/g;

/** Why a segment is not written. */
type Refusal = 'INVALID_SENDER' | 'UNENCODABLE';

/**
 * The submit_sm of one segment (SMPP 3.4 section 4.4.1), exactly as it was billed, or of a whole message if the carrier
 * splits it. A refusal if its sender cannot be an address, or if its text does not fit the alphabet or one PDU.
 */
export function encodeSubmit(format: CompleteSettings, segment: OutboundSegment, sequence: number): Buffer | Refusal {
  const { encoding, text, part, userMessageReference } = segment;
  const { concatenation } = format;
  const sender = senderAddress(format.fixedSender ? format.sender : (segment.sender ?? format.sender));
  if (sender === undefined) return 'INVALID_SENDER';
  // Other characters would arrive.
  if (encoding === 'standard' && encodingOf(text) !== 'standard') return 'UNENCODABLE';
  const header = userDataHeader(concatenation, segment);
  const message = header + (encoding === 'standard' ? standardText(text, format.defaultAlphabet) : extendedText(text));
  // A carrier that splits messages itself gets more than one short message as message_payload.
  const isUncut = part === undefined && (segment.isWhole === true || concatenation === 'payload');
  const isPayload = isUncut && countSegments(text, encoding) > 1;
  if (message.length > (isPayload ? PAYLOAD_OCTETS_MAX : SHORT_MESSAGE_OCTETS_MAX)) return 'UNENCODABLE';
  const esmClass = ESM_CLASS_MODES[format.messagingMode] | (header === '' ? 0 : ESM_CLASS_UDHI);
  const dataCoding = encoding === 'standard' ? format.dataCoding : DATA_CODING_UCS2;
  const body =
    cString(format.serviceType) +
    octets(format.sourceTon ?? sender.ton, format.sourceNpi ?? sender.npi) +
    cString(sender.address) +
    octets(format.destinationTon, format.destinationNpi) +
    cString(segment.destination) +
    octets(esmClass, 0, format.priority) + // esm_class, protocol_id, priority_flag
    cString('') + // schedule_delivery_time
    cString(validityPeriod(segment, format)) +
    octets(format.registeredDelivery, 0, dataCoding, 0) + // the zeros: replace_if_present_flag and sm_default_msg_id
    (isPayload ? octets(0) + parameter(TLV.messagePayload, message) : octets(message.length) + message) +
    sarParameters(concatenation, segment) +
    (format.interfaceVersion === '3.3' ? '' : parameter(TLV.userMessageReference, twoOctets(userMessageReference)));
  return encodePdu(COMMAND.submitSm, 0, sequence, body);
}

/**
 * How a sender is written: `Heliograph` as alphanumeric (5/0), `46700100200` or `+46700100200` as international (1/1),
 * and up to six bare digits as a short code (3/0). The numbers are those of SMPP 3.4 sections 5.2.5 and 5.2.6.
 * Undefined when it is none of them.
 */
export function senderAddress(sender: string): { ton: number; npi: number; address: string } | undefined {
  const [, plus, address] = /^(\+?)([0-9]{3,15})$/.exec(sender) ?? [];
  if (address !== undefined) {
    const isShortCode = plus === '' && address.length <= SHORT_CODE_DIGITS_MAX;
    return isShortCode ? { ton: 3, npi: 0, address } : { ton: 1, npi: 1, address };
  }
  // In the GSM alphabet "@" is octet 0, which would end the field, so only characters that all alphabets share are
  // allowed.
  return /^[A-Za-z0-9 ._-]{1,11}$/.test(sender) ? { ton: 5, npi: 0, address: sender } : undefined;
}

/** One octet a character, unpacked. The standard set is a part of ISO 8859-1. */
function standardText(text: string, alphabet: DefaultAlphabet): string {
  return alphabet === 'latin1' ? text : text.replace(GSM_OWN, (character) => octets(GSM_ALPHABET.indexOf(character)));
}

/** UTF-16BE, which carriers expect for `data_coding` 8. */
function extendedText(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('latin1');
}
