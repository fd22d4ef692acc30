import { type MessageState, Status } from './pdu-fields.js';

/** A receipt that follows from one submit_sm. */
export interface PlannedReceipt {
  readonly state: MessageState;
  /** Counted after the usual receipt delay. */
  readonly extraDelayMs: number;
  /** `garbage`: a text that is no receipt; `unknown-id`: a receipt for a foreign id. */
  readonly content: 'receipt' | 'garbage' | 'unknown-id';
  /** The id has another spelling in the same number base: upper case, or leading zeros. */
  readonly hasOddForm?: boolean;
}

/** What the simulator does with one submit_sm. */
export interface Treatment {
  /** command_status of the response. */
  readonly status: number;
  /** The message counts as sent to the handset: it has an id, and its receipts follow even if the response does not. */
  readonly isTaken: boolean;
  readonly isAnswered: boolean;
  readonly hasMessageId: boolean;
  readonly extraLatencyMs: number;
  readonly disconnect: 'no' | 'before-response' | 'after-response';
  readonly receipts: readonly PlannedReceipt[];
  /** Receipts go out at once, without the receipt delay. */
  readonly isReceiptFirst: boolean;
  /** What the handset answers; undefined: as the behaviour says. */
  readonly reply?: string;
}

export function receipt(state: MessageState, extraDelayMs = 0): PlannedReceipt {
  return { state, extraDelayMs, content: 'receipt' };
}

/** The treatment of an ordinary number: taken, answered, delivered. */
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

/** No answer ever comes; `fate` says whether the handset gets the message. */
export function silence(fate: 'taken' | 'lost'): Partial<Treatment> {
  return fate === 'taken' ? { isAnswered: false } : { ...NOT_TAKEN, isAnswered: false };
}

/** The connection drops instead of an answer. */
export function dropBeforeResponse(fate: 'taken' | 'lost'): Partial<Treatment> {
  return { ...silence(fate), disconnect: 'before-response' };
}
