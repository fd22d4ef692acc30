import { COMMAND, type Pdu, TLV, untilZero } from './pdu.js';

/** The fields of a deliver_sm or data_sm that we need (SMPP 3.4 sections 4.6.1 and 4.7.1). */
export type DeliverSm = NonNullable<ReturnType<typeof decodeDelivery>>;

/** The mandatory fields in their order, up to the text. A dot is an octet that we do not need, or that a name holds. */
const FIRST = String.raw`^(?<serviceType>[^\0]*)\0..(?<source>[^\0]*)\0..(?<destination>[^\0]*)\0(?<esmClass>.)`;
const TIMES = String.raw`(?<scheduled>[^\0]*)\0(?<validity>[^\0]*)\0`;
const DELIVER_SM = new RegExp(`${FIRST}..${TIMES}..(?<dataCoding>.).(?<textLength>.)`, 's');
/** Without times, and without a text of its own: that is a message_payload. */
const DATA_SM = new RegExp(`${FIRST}.(?<dataCoding>.)`, 's');

/** The characters that the fields may have, without their zero octet. */
const CHARACTERS_MAX = { serviceType: 5, address: 20, dataAddress: 64, time: 16, messageId: 64 } as const;

const NOTHING = Buffer.alloc(0);

/**
 * Reads a deliver_sm, or a data_sm, which some carriers use for receipts. Optional parameters that are cut off at the
 * end are ignored: a receipt with a broken last TLV still tells the state of a message, and a carrier that gets a
 * refusal sends the same octets for ever. `undefined` when a mandatory field is missing.
 */
export function decodeDelivery({ command, body }: Pick<Pdu, 'command' | 'body'>) {
  const isData = command === COMMAND.dataSm;
  const fields = (isData ? DATA_SM : DELIVER_SM).exec(body.toString('latin1'));
  if (fields?.groups === undefined) return undefined;
  const { serviceType = '', source = '', destination = '', scheduled = '', validity = '' } = fields.groups;
  const { esmClass = '', dataCoding = '', textLength = '\0' } = fields.groups;
  const addressMax = isData ? CHARACTERS_MAX.dataAddress : CHARACTERS_MAX.address;
  const textStart = fields[0].length;
  const textEnd = textStart + textLength.charCodeAt(0);
  const shortMessage = body.subarray(textStart, textEnd);
  const tlvs = parametersFrom(body, textEnd);
  const receiptedMessageId = untilZero(tlvs.get(TLV.receiptedMessageId) ?? NOTHING);
  return {
    /** Empty, as the other one, if it is longer: cut, it would be another number, and the whole fits no column. */
    sourceAddress: source.length > addressMax ? '' : source,
    sourceTon: body.readUInt8(serviceType.length + 1),
    destinationAddress: destination.length > addressMax ? '' : destination,
    destinationTon: body.readUInt8(serviceType.length + source.length + 4),
    esmClass: esmClass.charCodeAt(0),
    dataCoding: dataCoding.charCodeAt(0),
    // It stays octets, because its data_coding is often wrong.
    message: shortMessage.length > 0 ? shortMessage : (tlvs.get(TLV.messagePayload) ?? shortMessage),
    /** Empty if there is none. */
    receiptedMessageId,
    messageState: unsigned(tlvs.get(TLV.messageState), 1),
    userMessageReference: unsigned(tlvs.get(TLV.userMessageReference), 2),
    networkErrorCode: unsigned(tlvs.get(TLV.networkErrorCode)?.subarray(1), 2),
    /** All optional parameters, by their tags. */
    parameters: tlvs,
    /** Whether a field is longer than SMPP 3.4 allows. */
    isOversized:
      serviceType.length > CHARACTERS_MAX.serviceType ||
      Math.max(source.length, destination.length) > addressMax ||
      Math.max(scheduled.length, validity.length) > CHARACTERS_MAX.time ||
      receiptedMessageId.length > CHARACTERS_MAX.messageId,
  };
}

/** The value of an optional parameter, if it has so many octets. */
export function unsigned(value: Buffer | undefined, octets: 1 | 2): number | undefined {
  return value?.length === octets ? value.readUIntBE(0, octets) : undefined;
}

/** Optional parameters by tag: the first of each, up to the first one that is cut off. */
function parametersFrom(body: Buffer, start: number): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = start, end: number; at + 4 <= body.length; at = end) {
    const tag = body.readUInt16BE(at);
    end = at + 4 + body.readUInt16BE(at + 2);
    if (end > body.length) break;
    if (!found.has(tag)) found.set(tag, body.subarray(at + 4, end));
  }
  return found;
}
