/** Command ids of the PDUs that this adapter speaks (SMPP 3.4 section 5.1.2.1). */
export const COMMAND = {
  bindReceiver: 0x00000001,
  bindTransmitter: 0x00000002,
  submitSm: 0x00000004,
  deliverSm: 0x00000005,
  unbind: 0x00000006,
  bindTransceiver: 0x00000009,
  enquireLink: 0x00000015,
  dataSm: 0x00000103,
  alertNotification: 0x00000102,
  outbind: 0x0000000b,
  genericNack: 0x80000000,
} as const;

/** Tags of the optional parameters that this adapter reads or writes (SMPP 3.4 section 5.3.2). */
export const TLV = {
  receiptedMessageId: 0x001e,
  userMessageReference: 0x0204,
  sarMsgRefNum: 0x020c,
  sarTotalSegments: 0x020e,
  sarSegmentSeqnum: 0x020f,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const;

/** Bit 6 of esm_class: the text begins with a user data header (SMPP 3.4 section 5.2.12). */
export const ESM_CLASS_UDHI = 0x40;

/** The bit that makes a command id the response to a request. */
export const RESPONSE = 0x80000000;

const HEADER_OCTETS = 16;
/** A 64 KiB `message_payload` with its PDU is legal; a longer PDU means that the stream has lost its framing. */
const PDU_OCTETS_MAX = 70_000;
const LENGTH_OCTETS = 4;

/** One received PDU. `body` is a view: the handler must read it before it returns. */
export interface Pdu {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
}

/** The octets are no sequence of PDUs any more. Nothing after this point can be trusted: close the connection. */
export class LostFramingError extends Error {}

/** Splits the stream into PDUs, however the network split it into chunks. */
export class PduFramer {
  /** The octets of a PDU that is not complete yet. */
  private rest: Buffer = Buffer.alloc(0);

  /**
   * Calls `onPdu` with every complete PDU, in order.
   *
   * @throws LostFramingError when a command_length is below 16 or above 70,000
   */
  push(chunk: Buffer, onPdu: (pdu: Pdu) => void): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    while (at + LENGTH_OCTETS <= bytes.length) {
      const length = bytes.readUInt32BE(at);
      if (length < HEADER_OCTETS || length > PDU_OCTETS_MAX) {
        throw new LostFramingError(`a PDU of ${length} octets cannot be`);
      }
      if (at + length > bytes.length) break;
      onPdu({
        command: bytes.readUInt32BE(at + 4),
        status: bytes.readUInt32BE(at + 8),
        sequence: bytes.readUInt32BE(at + 12),
        body: bytes.subarray(at + HEADER_OCTETS, at + length),
      });
      at += length;
    }
    this.rest = bytes.subarray(at);
  }
}

/**
 * A PDU, ready to be written.
 *
 * @param body octets, one a character: what is put together as text costs one copy at the end
 */
export function encodePdu(command: number, status: number, sequence: number, body = ''): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_OCTETS + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(command, 4);
  bytes.writeUInt32BE(status, 8);
  bytes.writeUInt32BE(sequence, 12);
  bytes.write(body, HEADER_OCTETS, 'latin1');
  return bytes;
}

/** Octets of a C-octet string, which ends with a zero octet. */
export function cString(value: string): string {
  return `${value}\0`;
}

/** Each number as one octet. */
export function octets(...values: number[]): string {
  return String.fromCharCode(...values);
}

/** Octets of an optional parameter (SMPP 3.4 section 3.2.4.1). */
export function parameter(tag: number, value: string): string {
  return twoOctets(tag) + twoOctets(value.length) + value;
}

/** The lower 16 bits of a number. */
export function twoOctets(value: number): string {
  return octets((value >>> 8) & 0xff, value & 0xff);
}

/** The text of a C-octet string that may lack its zero octet. */
export function untilZero(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
}
