import { Status } from './pdu-fields.js';
import type { Submit } from './read-submit.js';
import { concatenationOf } from './text-decoding.js';
import { dropBeforeResponse, receipt, refusal, silence, type Treatment } from './treatment.js';

/** The last eight digits: invented numbers, and counters of a benchmark, seldom end so by accident. */
const MAGIC_NUMBER = /999000(\d\d)$/;

const SLOW_RESPONSE_MS = 2_000;
const LATE_RECEIPT_MS = 5_000;
const SECOND_RECEIPT_MS = 200;
const BETWEEN_SEGMENTS_MS = 100;
const RESPONSE_AFTER_RECEIPT_MS = 250;

/** Not in the GSM alphabet, so it needs three parts of 67 characters. */
const LONG_REPLY = 'Tack, det här är ett långt svar från telefonen – 谢谢. '.repeat(3);

export interface MagicNumber {
  /** The line of docs/simulator.md. */
  readonly meaning: string;
  /**
   * How many tries of the same submit_sm get the effect before the next one is treated as ordinary; unset: all of them.
   */
  readonly tries?: number;
  readonly effect: Partial<Treatment> | ((submit: Submit) => Partial<Treatment>);
}

/** The two last digits of a destination that ends in 999000NN, and what happens to a message for it. */
export const MAGIC_NUMBERS: Readonly<Record<string, MagicNumber>> = {
  '01': { meaning: 'refused: ESME_RINVDSTADR', effect: refusal(Status.ESME_RINVDSTADR) },
  '02': { meaning: 'refused once with ESME_RSYSERR, then taken', tries: 1, effect: refusal(Status.ESME_RSYSERR) },
  '03': {
    meaning: 'throttled 3 times with ESME_RTHROTTLED, then taken',
    tries: 3,
    effect: refusal(Status.ESME_RTHROTTLED),
  },
  '04': { meaning: 'refused once with ESME_RMSGQFUL, then taken', tries: 1, effect: refusal(Status.ESME_RMSGQFUL) },
  '05': { meaning: 'refused every time with ESME_RSYSERR', effect: refusal(Status.ESME_RSYSERR) },
  '10': { meaning: 'taken, the response comes after 2 s', effect: { extraLatencyMs: SLOW_RESPONSE_MS } },
  '11': { meaning: 'lost, never answered', effect: silence('lost') },
  '12': { meaning: 'taken, never answered; the receipt follows', effect: silence('taken') },
  '13': { meaning: 'lost and not answered once, then taken', tries: 1, effect: silence('lost') },
  '14': {
    meaning: 'lost, the connection drops before the response; taken on the second try',
    tries: 1,
    effect: dropBeforeResponse('lost'),
  },
  '15': {
    meaning: 'taken, the connection drops before the response, the receipt follows; ordinary on the second try',
    tries: 1,
    effect: dropBeforeResponse('taken'),
  },
  '16': {
    meaning: 'taken, the connection drops right after the response, the receipt follows; ordinary on the second try',
    tries: 1,
    effect: { disconnect: 'after-response' },
  },
  '17': { meaning: 'taken, the response has an empty message_id', effect: { hasMessageId: false } },
  '20': { meaning: 'taken, the receipt says UNDELIV', effect: { receipts: [receipt('UNDELIV')] } },
  '21': { meaning: 'taken, the receipt says EXPIRED', effect: { receipts: [receipt('EXPIRED')] } },
  '22': { meaning: 'taken, the receipt says REJECTD', effect: { receipts: [receipt('REJECTD')] } },
  '23': { meaning: 'taken, the receipt says DELETED', effect: { receipts: [receipt('DELETED')] } },
  '24': { meaning: 'taken, the receipt says UNKNOWN', effect: { receipts: [receipt('UNKNOWN')] } },
  '25': { meaning: 'taken, the last segment is UNDELIV, the others DELIVRD', effect: lastSegmentFails },
  '30': { meaning: 'taken, the receipt comes 5 s late', effect: { receipts: [receipt('DELIVRD', LATE_RECEIPT_MS)] } },
  '31': {
    meaning: 'taken, the receipt comes three times',
    effect: { receipts: [receipt('DELIVRD'), receipt('DELIVRD'), receipt('DELIVRD')] },
  },
  '32': {
    meaning: 'taken, the receipt comes before the response',
    effect: { isReceiptFirst: true, extraLatencyMs: RESPONSE_AFTER_RECEIPT_MS },
  },
  '33': { meaning: 'taken, no receipt ever', effect: { receipts: [] } },
  '34': {
    meaning: 'taken, the receipt is garbage text without optional parameters',
    effect: { receipts: [{ ...receipt('DELIVRD'), content: 'garbage' }] },
  },
  '35': {
    meaning: 'taken, the receipt is for an id that nobody was given',
    effect: { receipts: [{ ...receipt('DELIVRD'), content: 'unknown-id' }] },
  },
  '36': {
    meaning: 'taken, a receipt ENROUTE, then DELIVRD',
    effect: { receipts: [receipt('ENROUTE'), receipt('DELIVRD', SECOND_RECEIPT_MS)] },
  },
  '37': { meaning: 'taken, the segments are receipted last first', effect: lastSegmentFirst },
  '38': {
    meaning: 'taken, a receipt DELIVRD, then one that contradicts it: UNDELIV',
    effect: { receipts: [receipt('DELIVRD'), receipt('UNDELIV', SECOND_RECEIPT_MS)] },
  },
  '40': { meaning: 'taken, the handset answers "Thank you"', effect: { reply: 'Thank you' } },
  '41': { meaning: 'taken, the handset answers "STOP"', effect: { reply: 'STOP' } },
  '42': { meaning: 'taken, the handset answers "START"', effect: { reply: 'START' } },
  '43': { meaning: 'taken, the handset answers in three parts', effect: { reply: LONG_REPLY } },
};

/** @returns the code of a magic destination, `undefined` for every other number */
export function magicCodeOf(destination: string): string | undefined {
  const code = MAGIC_NUMBER.exec(destination)?.[1];
  return code !== undefined && Object.hasOwn(MAGIC_NUMBERS, code) ? code : undefined;
}

function lastSegmentFails(submit: Submit): Partial<Treatment> {
  const place = concatenationOf(submit);
  return { receipts: [receipt(place === undefined || place.part === place.total ? 'UNDELIV' : 'DELIVRD')] };
}

function lastSegmentFirst(submit: Submit): Partial<Treatment> {
  const place = concatenationOf(submit);
  const partsAfter = place === undefined ? 0 : Math.max(0, place.total - place.part);
  return { receipts: [receipt('DELIVRD', partsAfter * BETWEEN_SEGMENTS_MS)] };
}
