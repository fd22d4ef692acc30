/**
 * What is wrong with a PDU. `generic_nack` answers one whose structure cannot be followed, `response` one
 * that was read but holds a value that a carrier refuses.
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
