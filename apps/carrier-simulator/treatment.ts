import { type MessageState, Status } from './pdu-fields.js';

/** A receipt that one submit_sm leads to. */
export interface PlannedReceipt {
  readonly state: MessageState;
  /** Counted after the usual receipt delay. */
  readonly extraDelayMs: number;
  /** `garbage`: a text that is no receipt; `unknown-id`: a receipt for an id that nobody was given. */
  readonly content: 'receipt' | 'garbage' | 'unknown-id';
  /** The id is written in another way of the same number base: in upper case, or with leading zeros. */
  readonly hasOddForm?: boolean;
}

/** All that the simulator does with one submit_sm. */
export interface Treatment {
  /** command_status of the response. */
  readonly status: number;
  /**
   * The message counts as sent to the handset: it has an id, and its receipts follow whatever becomes of the response.
   */
  readonly isTaken: boolean;
  readonly isAnswered: boolean;
  readonly hasMessageId: boolean;
  readonly extraLatencyMs: number;
  readonly disconnect: 'no' | 'before-response' | 'after-response';
  readonly receipts: readonly PlannedReceipt[];
  /** Receipts go out at once, without the receipt delay. */
  readonly isReceiptFirst: boolean;
}

export function receipt(state: MessageState, extraDelayMs = 0): PlannedReceipt {
  return { state, extraDelayMs, content: 'receipt' };
}

/** What an ordinary number gets: taken, answered, delivered. */
export const ORDINARY: Treatment = {
  status: Status.ESME_ROK,
  isTaken: true,
  isAnswered: true,
  hasMessageId: true,
  extraLatencyMs: 0,
  disconnect: 'no',
  receipts: [receipt('DELIVRD')],
  isReceiptFirst: false,
};

const NOT_TAKEN = { isTaken: false, receipts: [] } as const;

export function refusal(status: number): Partial<Treatment> {
  return { ...NOT_TAKEN, status };
}

/** No answer ever comes: `taken` says whether the handset gets the message all the same. */
export function silence(fate: 'taken' | 'lost'): Partial<Treatment> {
  return fate === 'taken' ? { isAnswered: false } : { ...NOT_TAKEN, isAnswered: false };
}

/** The connection drops in place of the answer. */
export function dropBeforeResponse(fate: 'taken' | 'lost'): Partial<Treatment> {
  return { ...silence(fate), disconnect: 'before-response' };
}
