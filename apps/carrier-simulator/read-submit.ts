import { PduCursor } from './pdu-cursor.js';
import { PduError } from './pdu-error.js';
import { type Address, Status, Tag } from './pdu-fields.js';

/** One submit_sm (SMPP 3.4, 4.4.1). */
export interface Submit {
  readonly sequence: number;
  readonly source: Address;
  readonly destination: Address;
  readonly esmClass: number;
  readonly registeredDelivery: number;
  readonly dataCoding: number;
  readonly validityPeriod: string;
  /** short_message, or message_payload if sm_length is 0, with its user data header. */
  readonly userData: Buffer;
  readonly isPayload: boolean;
  readonly userMessageReference: number | undefined;
  readonly sar: SarFields | undefined;
}

export interface SarFields {
  readonly reference: number;
  readonly total: number;
  readonly part: number;
}

/** @throws PduError when the body or an optional parameter ends too early */
export function readSubmit(pdu: Buffer): Submit {
  const body = new PduCursor(pdu);
  body.cString(); // service_type
  const source = readAddress(body);
  const destination = readAddress(body);
  const esmClass = body.octet();
  body.octets(2); // protocol_id, priority_flag
  body.cString(); // schedule_delivery_time
  const validityPeriod = body.cString();
  const registeredDelivery = body.octet();
  body.octet(); // replace_if_present_flag
  const dataCoding = body.octet();
  body.octet(); // sm_default_msg_id
  const shortMessage = body.octets(body.octet());
  const optional = body.remaining === 0 ? NONE : readOptional(body);
  const isPayload = shortMessage.length === 0 && optional.payload !== undefined;
  return {
    sequence: pdu.readUInt32BE(12),
    source,
    destination,
    esmClass,
    registeredDelivery,
    dataCoding,
    validityPeriod,
    userData: isPayload ? (optional.payload ?? shortMessage) : shortMessage,
    isPayload,
    userMessageReference: optional.userMessageReference,
    sar: sarOf(optional),
  };
}

function readAddress(body: PduCursor): Address {
  return { ton: body.octet(), npi: body.octet(), value: body.cString() };
}

interface Optional {
  payload?: Buffer;
  userMessageReference?: number;
  reference?: number;
  total?: number;
  part?: number;
}
const NONE: Optional = {};

function readOptional(body: PduCursor): Optional {
  const found: Optional = {};
  while (body.remaining > 0) {
    if (body.remaining < 4) throw truncated();
    const tag = body.uint16();
    const length = body.uint16();
    if (body.remaining < length) throw truncated();
    const value = body.octets(length);
    if (tag === Tag.messagePayload) found.payload = value;
    else if (tag === Tag.userMessageReference) found.userMessageReference = integer(value, 2);
    else if (tag === Tag.sarMsgRefNum) found.reference = integer(value, 2);
    else if (tag === Tag.sarTotalSegments) found.total = integer(value, 1);
    else if (tag === Tag.sarSegmentSeqnum) found.part = integer(value, 1);
  }
  return found;
}

function integer(value: Buffer, octets: number): number {
  if (value.length !== octets) throw truncated();
  return value.readUIntBE(0, octets);
}

function truncated(): PduError {
  return new PduError(Status.ESME_RINVOPTPARSTREAM, 'generic_nack', 'optional parameters are cut or of a wrong length');
}

/** All three are needed (SMPP 3.4, 5.3.2.22 to 24). */
function sarOf({ reference, total, part }: Optional): SarFields | undefined {
  if (reference === undefined || total === undefined || part === undefined) return undefined;
  return { reference, total, part };
}
