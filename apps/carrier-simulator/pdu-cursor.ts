import { PduError } from './pdu-error.js';
import { HEADER_OCTETS, Status } from './pdu-fields.js';

/** Reads the body of one PDU field by field. Every method throws PduError if the body ends too early. */
export class PduCursor {
  private offset = HEADER_OCTETS;

  constructor(private readonly pdu: Buffer) {}

  get remaining(): number {
    return this.pdu.length - this.offset;
  }

  octet(): number {
    this.require(1);
    return this.pdu.readUInt8(this.offset++);
  }

  uint16(): number {
    this.require(2);
    const value = this.pdu.readUInt16BE(this.offset);
    this.offset += 2;
    return value;
  }

  octets(count: number): Buffer {
    this.require(count);
    this.offset += count;
    return this.pdu.subarray(this.offset - count, this.offset);
  }

  /** A C-octet string; its terminating NUL is consumed and not returned. */
  cString(): string {
    if (this.pdu[this.offset] === 0) {
      this.offset++;
      return '';
    }
    const end = this.pdu.indexOf(0, this.offset);
    if (end === -1) throw new PduError(Status.ESME_RINVCMDLEN, 'generic_nack', 'unterminated string');
    const value = this.pdu.toString('latin1', this.offset, end);
    this.offset = end + 1;
    return value;
  }

  private require(count: number): void {
    if (this.remaining < count) throw new PduError(Status.ESME_RINVCMDLEN, 'generic_nack', 'body is too short');
  }
}
