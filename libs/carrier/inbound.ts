/** A message from a handset, or one part of a long one. */
export interface InboundPart {
  /** Where it comes from, as `numberFromCarrier` reads it: the digits of a number, else what the carrier wrote. */
  readonly source: string;
  /** The number or sender that it was sent to. */
  readonly destination: string;
  /** Its UTF-16 code units. A character may be cut between two parts. */
  readonly text: string;
  /** Set for a part of a long message. */
  readonly part: InboundPlace | undefined;
  /** Two deliveries with the same one may be the same message, sent twice. */
  readonly fingerprint: Buffer;
  /** Whether the carrier numbers its messages: then the same fingerprint is the same message, however late. */
  readonly isNumbered: boolean;
  /** The connection that it came by. */
  readonly connection: string;
  /**
   * Whether the carrier may have sent it before by the same connection. By another connection it may always have: the
   * answer to the first one may be lost.
   */
  readonly mayRepeat: boolean;
}

/** The place of a part in its message. */
export interface InboundPlace {
  /** The same for all parts of a message; a handset uses it again after some time. */
  readonly reference: number;
  /** From 1. */
  readonly number: number;
  readonly total: number;
}

/** Stores messages from handsets durably; the carrier gets its answer only after it has resolved. */
export type InboundSink = (part: InboundPart) => Promise<void>;

/** The place, if a handset may have meant it. */
export function inboundPlace(reference: number, total: number, number: number): InboundPlace | undefined {
  return total > 1 && number >= 1 && number <= total ? { reference, number, total } : undefined;
}
