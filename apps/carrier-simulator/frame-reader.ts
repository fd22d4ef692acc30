import { PduError } from './pdu-error.js';
import { COMMAND_LENGTH_MAX, HEADER_OCTETS, Status } from './pdu-fields.js';

const LENGTH_OCTETS = 4;

/**
 * Splits a TCP stream into PDUs by their command_length. It never keeps more than one PDU of the greatest length for
 * the next chunk.
 */
export class FrameReader {
  private held: Buffer[] = [];
  private heldOctets = 0;
  private neededOctets = LENGTH_OCTETS;

  /**
   * @param take is called with each complete PDU; if it returns false, the rest of the chunk is dropped
   * @throws PduError when command_length is under 16 or over the limit: where the next PDU begins is then unknown
   */
  push(chunk: Buffer, take: (pdu: Buffer) => boolean): void {
    this.held.push(chunk);
    this.heldOctets += chunk.length;
    if (this.heldOctets < this.neededOctets) return;

    const data = this.held.length === 1 ? chunk : Buffer.concat(this.held, this.heldOctets);
    let offset = 0;
    this.neededOctets = LENGTH_OCTETS;
    while (data.length - offset >= LENGTH_OCTETS) {
      const length = data.readUInt32BE(offset);
      if (length < HEADER_OCTETS || length > COMMAND_LENGTH_MAX) {
        throw new PduError(Status.ESME_RINVCMDLEN, 'generic_nack', `command_length ${length}`);
      }
      if (data.length - offset < length) {
        this.neededOctets = length;
        break;
      }
      const pdu = data.subarray(offset, offset + length);
      offset += length;
      if (!take(pdu)) {
        offset = data.length;
        this.neededOctets = LENGTH_OCTETS;
      }
    }
    const rest = data.subarray(offset);
    this.held = rest.length === 0 ? [] : [rest];
    this.heldOctets = rest.length;
  }
}
