/**
 * The fault of a PDU. `generic_nack` answers a PDU whose structure cannot be read, `response` a PDU with a value that a
 * carrier refuses.
 */
export class PduError extends Error {
  constructor(
    readonly status: number,
    readonly answer: 'generic_nack' | 'response',
    reason: string,
  ) {
    super(reason);
  }
}
