import { type Address, Command, GENERIC_NACK, HEADER_OCTETS, RESPONSE_BIT, Tag } from './pdu-fields.js';

const INTERFACE_VERSION = 0x34;
const SYSTEM_ID = 'HELIOSIM';

/** A PDU without a body: requests such as unbind, responses such as enquire_link_resp, generic_nack. */
export function writeHeader(command: number, status: number, sequence: number, bodyOctets = 0): Buffer {
  const pdu = Buffer.allocUnsafe(HEADER_OCTETS + bodyOctets);
  pdu.writeUInt32BE(pdu.length, 0);
  pdu.writeUInt32BE(command, 4);
  pdu.writeUInt32BE(status, 8);
  pdu.writeUInt32BE(sequence, 12);
  return pdu;
}

export function writeGenericNack(status: number, sequence: number): Buffer {
  return writeHeader(GENERIC_NACK, status, sequence);
}

/** A refusal has no body (SMPP 3.4, 4.1.2). */
export function writeBindResponse(command: number, status: number, sequence: number): Buffer {
  const response = (command | RESPONSE_BIT) >>> 0;
  if (status !== 0) return writeHeader(response, status, sequence);
  const pdu = writeHeader(response, status, sequence, SYSTEM_ID.length + 1 + 5);
  const offset = writeCString(pdu, HEADER_OCTETS, SYSTEM_ID);
  pdu.writeUInt16BE(Tag.scInterfaceVersion, offset);
  pdu.writeUInt16BE(1, offset + 2);
  pdu.writeUInt8(INTERFACE_VERSION, offset + 4);
  return pdu;
}

/** A refusal has no body (SMPP 3.4, 4.4.2). */
export function writeSubmitResponse(status: number, sequence: number, messageId: string): Buffer {
  const response = (Command.submitSm | RESPONSE_BIT) >>> 0;
  if (status !== 0) return writeHeader(response, status, sequence);
  const pdu = writeHeader(response, status, sequence, messageId.length + 1);
  writeCString(pdu, HEADER_OCTETS, messageId);
  return pdu;
}

export interface Delivery {
  readonly source: Address;
  readonly destination: Address;
  readonly esmClass: number;
  /** The default alphabet unless given. */
  readonly dataCoding?: number;
  /** An octet a character. */
  readonly shortMessage: string;
  readonly receiptedMessageId: string | undefined;
  readonly messageState: number | undefined;
  readonly userMessageReference: number | undefined;
}

const FIXED_OCTETS = 17;

/** A deliver_sm (SMPP 3.4, 4.6.1). */
export function writeDeliver(sequence: number, delivery: Delivery): Buffer {
  const { source, destination, shortMessage, receiptedMessageId, messageState, userMessageReference } = delivery;
  const optionalOctets =
    (receiptedMessageId === undefined ? 0 : 5 + receiptedMessageId.length) +
    (messageState === undefined ? 0 : 5) +
    (userMessageReference === undefined ? 0 : 6);
  const bodyOctets = FIXED_OCTETS + source.value.length + destination.value.length + shortMessage.length;
  const pdu = writeHeader(Command.deliverSm, 0, sequence, bodyOctets + optionalOctets);
  let offset = pdu.writeUInt8(0, HEADER_OCTETS); // service_type
  offset = writeAddress(pdu, offset, source);
  offset = writeAddress(pdu, offset, destination);
  offset = pdu.writeUInt8(delivery.esmClass, offset);
  // protocol_id, priority_flag, schedule_delivery_time, validity_period, registered_delivery,
  // replace_if_present_flag, data_coding, sm_default_msg_id
  pdu.fill(0, offset, offset + 8);
  pdu.writeUInt8(delivery.dataCoding ?? 0, offset + 6);
  offset = pdu.writeUInt8(shortMessage.length, offset + 8);
  offset += pdu.write(shortMessage, offset, 'latin1');
  if (receiptedMessageId !== undefined) {
    offset = writeTag(pdu, offset, Tag.receiptedMessageId, receiptedMessageId.length + 1);
    offset = writeCString(pdu, offset, receiptedMessageId);
  }
  if (messageState !== undefined) {
    offset = pdu.writeUInt8(messageState, writeTag(pdu, offset, Tag.messageState, 1));
  }
  if (userMessageReference !== undefined) {
    pdu.writeUInt16BE(userMessageReference, writeTag(pdu, offset, Tag.userMessageReference, 2));
  }
  return pdu;
}

function writeAddress(pdu: Buffer, offset: number, address: Address): number {
  pdu.writeUInt8(address.ton, offset);
  pdu.writeUInt8(address.npi, offset + 1);
  return writeCString(pdu, offset + 2, address.value);
}

function writeTag(pdu: Buffer, offset: number, tag: number, octets: number): number {
  pdu.writeUInt16BE(tag, offset);
  return pdu.writeUInt16BE(octets, offset + 2);
}

function writeCString(pdu: Buffer, offset: number, value: string): number {
  return pdu.writeUInt8(0, offset + pdu.write(value, offset, 'latin1'));
}
