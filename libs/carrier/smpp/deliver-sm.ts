import { COMMAND, type Pdu, TLV, untilZero } from './pdu.js';

/** The fields of a deliver_sm or data_sm that we need (SMPP 3.4 sections 4.6.1 and 4.7.1). */
export type DeliverSm = NonNullable<ReturnType<typeof decodeDelivery>>;

/** The characters that the fields may have (SMPP 3.4 sections 4.6.1 and 4.7.1), without their zero octet. */
const CHARACTERS_MAX = { serviceType: 5, address: 20, dataAddress: 64, time: 16, messageId: 64 } as const;

const NOTHING = Buffer.alloc(0);

/**
 * Reads a deliver_sm, or a data_sm, which some carriers use for receipts. Optional parameters that are cut off at the
 * end are ignored: a receipt with a broken last TLV still tells the state of a message, and a carrier that gets a
 * refusal sends the same octets for ever. `undefined` when a mandatory field is missing.
 */
export function decodeDelivery({ command, body }: Pick<Pdu, 'command' | 'body'>) {
  const isData = command === COMMAND.dataSm;
  const addressMax = isData ? CHARACTERS_MAX.dataAddress : CHARACTERS_MAX.address;
  const reader = new BodyReader(body);
  reader.cString(CHARACTERS_MAX.serviceType); // service_type
  reader.skip(2);
  const sourceAddress = reader.cString(addressMax);
  reader.skip(2);
  const destinationAddress = reader.cString(addressMax);
  const esmClass = reader.octet();
  if (!isData) {
    reader.skip(2); // protocol_id, priority_flag
    reader.cString(CHARACTERS_MAX.time); // schedule_delivery_time
    reader.cString(CHARACTERS_MAX.time); // validity_period
  }
  reader.skip(isData ? 1 : 2); // registered_delivery, replace_if_present_flag
  const dataCoding = reader.octet();
  if (!isData) reader.skip(1); // sm_default_msg_id
  // The text of a data_sm is a message_payload.
  const shortMessage = reader.upTo(isData ? 0 : reader.octet());
  if (reader.endsEarly) return undefined;
  const tlvs = reader.tlvs();
  const payload = tlvs.get(TLV.messagePayload);
  const receiptedMessageId = untilZero(tlvs.get(TLV.receiptedMessageId) ?? NOTHING);
  return {
    /** Empty, as the other one, if it is longer than any address. */
    sourceAddress,
    destinationAddress,
    esmClass,
    dataCoding,
    // It stays octets, because its data_coding is often wrong.
    message: shortMessage.length === 0 && payload !== undefined ? payload : shortMessage,
    /** Empty if there is none. */
    receiptedMessageId,
    messageState: unsigned(tlvs.get(TLV.messageState), 1),
    userMessageReference: unsigned(tlvs.get(TLV.userMessageReference), 2),
    networkErrorCode: unsigned(tlvs.get(TLV.networkErrorCode)?.subarray(1), 2),
    /** All optional parameters, by their tags. */
    parameters: tlvs,
    /** Whether a field is longer than SMPP 3.4 allows. */
    isOversized: reader.isOversized || receiptedMessageId.length > CHARACTERS_MAX.messageId,
  };
}

/** The value of an optional parameter, if it has so many octets. */
export function unsigned(value: Buffer | undefined, octets: 1 | 2): number | undefined {
  return value?.length === octets ? value.readUIntBE(0, octets) : undefined;
}

class BodyReader {
  isOversized = false;
  /** A field was read that is not there. */
  endsEarly = false;
  private at = 0;

  constructor(private readonly body: Buffer) {}

  octet(): number {
    const octet = this.body[this.at++];
    if (octet === undefined) this.endsEarly = true;
    return octet ?? 0;
  }

  skip(octets: number): void {
    this.at += octets;
  }

  /** Empty if it is longer: a shortened value would be another number, and the full value fits no column. */
  cString(charactersMax: number): string {
    const { at } = this;
    const end = this.body.indexOf(0, at);
    if (end === -1) this.endsEarly = true;
    this.at = end === -1 ? this.body.length : end + 1;
    if (end - at <= charactersMax) return this.body.toString('latin1', at, end);
    this.isOversized = true;
    return '';
  }

  upTo(octets: number): Buffer {
    const bytes = this.body.subarray(this.at, this.at + octets);
    this.at += octets;
    return bytes;
  }

  /** Optional parameters by tag: the first of each, up to the first one that is cut off. */
  tlvs(): Map<number, Buffer> {
    const found = new Map<number, Buffer>();
    while (this.at + 4 <= this.body.length) {
      const tag = this.body.readUInt16BE(this.at);
      const octets = this.body.readUInt16BE(this.at + 2);
      this.at += 4;
      if (this.at + octets > this.body.length) break;
      const value = this.upTo(octets);
      if (!found.has(tag)) found.set(tag, value);
    }
    return found;
  }
}
