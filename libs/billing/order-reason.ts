import type { OrderState } from './order-state.js';

/** Why an order ended other than as delivered: stable words, and what each means. */
export const ORDER_REASONS = {
  refused_by_carrier: 'the carrier refused the message for good',
  no_route: 'no route was set for the destination any more',
  validity_over: 'the message could not be handed to a carrier while it was valid',
  refunded_by_operator: 'the operator called the message back and refunded it',
  recipient_opted_out: 'the number was put on the suppression list before a carrier had the message',
  undeliverable: 'the carrier could not deliver the message',
  expired_at_carrier: 'the carrier gave up: the handset was not reached in time',
  rejected_at_carrier: 'the carrier or the network rejected the message after it had been taken',
  deleted_at_carrier: 'the carrier deleted the message',
  no_receipt: 'the carrier took the message, and no receipt came in time',
  no_answer: 'the message was handed to the carrier, and no answer came: it may have arrived',
} as const satisfies Record<string, string>;

export type OrderReason = keyof typeof ORDER_REASONS;

/**
 * Codes of the service itself: the SQL of libs/persistence and the adapters set them. All others come from carriers.
 */
const OWN_CODES: Readonly<Record<string, OrderReason>> = {
  NO_ROUTE: 'no_route',
  VALIDITY_OVER: 'validity_over',
  REFUNDED: 'refunded_by_operator',
  OPTED_OUT: 'recipient_opted_out',
  NO_RECEIPT: 'no_receipt',
  FATE_UNKNOWN: 'no_answer',
  TEXT_TOO_LONG: 'refused_by_carrier',
};

/** The words of receipts (SMPP 3.4 appendix B), as carriers abbreviate them. */
const RECEIPT_WORDS: ReadonlyArray<readonly [RegExp, OrderReason]> = [
  [/^EXPIR/, 'expired_at_carrier'],
  [/^REJ/, 'rejected_at_carrier'],
  [/^(DELET|SKIP)/, 'deleted_at_carrier'],
];

interface OrderEnd {
  readonly reason: OrderReason | undefined;
  /** The carrier's own words; undefined if it said nothing, and while the order is open. */
  readonly carrierCode: string | undefined;
}

/** What a client is told about the end of an order: a stable word, and the carrier's own. */
export function orderEnd(state: OrderState, code: string | undefined): OrderEnd {
  const carrierCode = code === undefined || code in OWN_CODES ? undefined : code;
  switch (state) {
    case 'delivered':
      return { reason: undefined, carrierCode };
    case 'failed':
      return { reason: OWN_CODES[code ?? ''] ?? 'refused_by_carrier', carrierCode };
    case 'canceled':
      return { reason: OWN_CODES[code ?? ''], carrierCode: undefined };
    case 'undelivered':
      return { reason: receiptReason(code), carrierCode };
    case 'unknown':
      return { reason: OWN_CODES[code ?? ''] ?? 'no_answer', carrierCode };
    default:
      // A rescheduled order may have a code although it is open; that is no end.
      return { reason: undefined, carrierCode: undefined };
  }
}

/** What a carrier answered when it put a message off, as the adapters name it; their other codes are internal. */
const ANSWERED = /^(ESME_|SMPP_0x|HTTP_\d)/;

/**
 * The same of one change of state. Also of a message that goes back to the queue: what the carrier answered, e.g. that
 * it is throttled.
 */
export function changeReason(to: OrderState, code: string | undefined): OrderEnd {
  if (to !== 'queued') return orderEnd(to, code);
  return { reason: undefined, carrierCode: code !== undefined && ANSWERED.test(code) ? code : undefined };
}

function receiptReason(code = ''): OrderReason {
  return RECEIPT_WORDS.find(([words]) => words.test(code))?.[1] ?? 'undeliverable';
}
