import type { OutboundSegment } from '../carrier.js';
import { senderAddress } from './address.js';
import { UnencodableTextError, writeExtendedText, writeStandardText } from './alphabet.js';
import { parameterHead, sarParameters, userDataHeader } from './concatenation.js';
import { COMMAND, cStrings, HEADER_OCTETS, writeHeader } from './pdu.js';
import type { CompleteSettings, MessagingMode } from './settings.js';

/** SMPP 3.4 section 4.4.1: sm_length is at most 254 octets. */
const SHORT_MESSAGE_OCTETS_MAX = 254;
/**
 * Characters of one short message on the air. A carrier that splits messages itself gets a longer text as
 * message_payload.
 */
const SINGLE_STANDARD_CHARACTERS_MAX = 160;
const SINGLE_EXTENDED_CHARACTERS_MAX = 70;
/** The length of an optional parameter is 16 bits. */
const PAYLOAD_OCTETS_MAX = 0xffff;
const PARAMETER_HEAD_OCTETS = 4;
const ESM_CLASS_UDHI = 0x40;
const ESM_CLASS_MODES: Readonly<Record<MessagingMode, number>> = {
  default: 0,
  datagram: 1,
  forward: 2,
  'store-and-forward': 3,
};
const DATA_CODING_UCS2 = 0x08;
const TLV_USER_MESSAGE_REFERENCE = 0x0204;
const TLV_MESSAGE_PAYLOAD = 0x0424;
const DAY_SECONDS = 86_400;
/** Accounts have few senders. With more than this, the heads are built again. */
const HEADS_MAX = 1_000;

/** The sender of the segment cannot be written as an SMPP address. */
export class InvalidSenderError extends Error {}

export type SubmitFormat = Pick<
  CompleteSettings,
  | 'sender'
  | 'fixedSender'
  | 'sourceTon'
  | 'sourceNpi'
  | 'destinationTon'
  | 'destinationNpi'
  | 'serviceType'
  | 'dataCoding'
  | 'defaultAlphabet'
  | 'concatenation'
  | 'messagingMode'
  | 'priority'
  | 'registeredDelivery'
  | 'validityPeriodSeconds'
  | 'interfaceVersion'
>;

/** Builds everything that all submits of a sender share once; a submit costs two copies and its text. */
export class SubmitEncoder {
  private readonly heads = new Map<string, Buffer>();
  private readonly validity: Buffer;
  private readonly esmClass: number;
  private readonly hasParameters: boolean;

  constructor(private readonly format: SubmitFormat) {
    this.validity = validityFields(format.validityPeriodSeconds);
    this.esmClass = ESM_CLASS_MODES[format.messagingMode];
    this.hasParameters = format.interfaceVersion !== '3.3';
  }

  /**
   * The submit_sm of one segment (SMPP 3.4 section 4.4.1), exactly as it was billed, or of a whole message if the
   * carrier splits it.
   *
   * @throws UnencodableTextError when the text does not fit the alphabet or one PDU
   * @throws InvalidSenderError when the segment's sender cannot be an address
   */
  encode(segment: OutboundSegment, sequence: number): Buffer {
    const { format } = this;
    const validity = this.validityOf(segment);
    const { destination, encoding, text, part } = segment;
    const head = this.headOf(segment.sender);
    const header = userDataHeader(format.concatenation, segment);
    const sar = sarParameters(format.concatenation, part);
    const messageOctets = header.length + (encoding === 'standard' ? text.length : text.length * 2);
    const isPayload = this.needsPayload(segment);
    if (messageOctets > (isPayload ? PAYLOAD_OCTETS_MAX : SHORT_MESSAGE_OCTETS_MAX)) {
      throw new UnencodableTextError(`${messageOctets} octets do not fit one submit`);
    }
    // The destination; esm_class, protocol_id and priority_flag; the times; registered_delivery to sm_length.
    const fixedOctets = HEADER_OCTETS + head.length + (destination.length + 1) + 3 + validity.length + 5;
    const parameterOctets =
      (this.hasParameters ? PARAMETER_HEAD_OCTETS + 2 : 0) + sar.length + (isPayload ? PARAMETER_HEAD_OCTETS : 0);
    const bytes = Buffer.allocUnsafe(fixedOctets + messageOctets + parameterOctets);
    writeHeader(bytes, COMMAND.submitSm, 0, sequence);
    let at = HEADER_OCTETS + head.copy(bytes, HEADER_OCTETS);
    at += bytes.write(destination, at, 'latin1');
    bytes[at++] = 0;
    bytes[at++] = this.esmClass | (header.length === 0 ? 0 : ESM_CLASS_UDHI);
    bytes[at++] = 0; // protocol_id
    bytes[at++] = format.priority;
    at += validity.copy(bytes, at);
    bytes[at++] = format.registeredDelivery;
    bytes[at++] = 0; // replace_if_present_flag
    bytes[at++] = encoding === 'standard' ? format.dataCoding : DATA_CODING_UCS2;
    bytes[at++] = 0; // sm_default_msg_id
    bytes[at++] = isPayload ? 0 : messageOctets;
    if (isPayload) at = parameterHead(bytes, at, TLV_MESSAGE_PAYLOAD, messageOctets);
    at += header.copy(bytes, at);
    at =
      encoding === 'standard'
        ? writeStandardText(bytes, at, text, format.defaultAlphabet)
        : writeExtendedText(bytes, at, text);
    at += sar.copy(bytes, at);
    if (this.hasParameters) {
      at = parameterHead(bytes, at, TLV_USER_MESSAGE_REFERENCE, 2);
      bytes.writeUInt16BE(segment.userMessageReference & 0xffff, at);
    }
    return bytes;
  }

  /** The shorter of what the message and the carrier's settings ask for. */
  private validityOf({ validitySeconds }: OutboundSegment): Buffer {
    if (validitySeconds === undefined) return this.validity;
    return validityFields(Math.min(validitySeconds, this.format.validityPeriodSeconds ?? validitySeconds));
  }

  private needsPayload({ encoding, text, part, isWhole }: OutboundSegment): boolean {
    if (part !== undefined || !(isWhole || this.format.concatenation === 'payload')) return false;
    return text.length > (encoding === 'standard' ? SINGLE_STANDARD_CHARACTERS_MAX : SINGLE_EXTENDED_CHARACTERS_MAX);
  }

  /** service_type, the sender, and ton and npi of the destination. */
  private headOf(own: string | undefined): Buffer {
    const sender = own === undefined || this.format.fixedSender ? this.format.sender : own;
    const known = this.heads.get(sender);
    if (known !== undefined) return known;
    const head = this.createHead(sender);
    if (this.heads.size >= HEADS_MAX) this.heads.clear();
    this.heads.set(sender, head);
    return head;
  }

  private createHead(sender: string): Buffer {
    const { serviceType, sourceTon, sourceNpi, destinationTon, destinationNpi } = this.format;
    const { ton, npi, address } = addressOf(sender);
    return Buffer.concat([
      cStrings(serviceType),
      Buffer.from([sourceTon ?? ton, sourceNpi ?? npi]),
      cStrings(address),
      Buffer.from([destinationTon, destinationNpi]),
    ]);
  }
}

function addressOf(sender: string): ReturnType<typeof senderAddress> {
  try {
    return senderAddress(sender);
  } catch (error) {
    throw new InvalidSenderError((error as Error).message);
  }
}

/**
 * schedule_delivery_time and validity_period. A relative time (SMPP 3.4 section 7.1.1.2), so clocks need not agree;
 * empty leaves it to the carrier.
 */
function validityFields(seconds: number | undefined): Buffer {
  if (seconds === undefined) return cStrings('', '');
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = seconds % DAY_SECONDS;
  const days = two(seconds / DAY_SECONDS);
  return cStrings('', `0000${days}${two(rest / 3600)}${two((rest % 3600) / 60)}${two(rest % 60)}000R`);
}
