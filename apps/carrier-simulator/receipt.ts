import type { Behaviour, ReceiptFormat } from './options.js';
import { type Address, ESM_CLASS_RECEIPT, MESSAGE_STATES, type MessageState } from './pdu-fields.js';
import { type Delivery } from './pdu-writing.js';

/** A receipt that the client has not acknowledged yet. */
export interface Receipt {
  readonly systemId: string;
  /** Number of the bind that submitted the message. */
  readonly submittedBy: number;
  readonly messageId: string;
  /** The id that it is about, as the response writes it: messageId, or a foreign one. */
  readonly aboutId: string;
  /** The same id, as the receipt writes it. */
  readonly receiptId: string;
  readonly sender: Address;
  readonly handset: Address;
  readonly state: MessageState;
  readonly isGarbage: boolean;
  readonly submittedAtMs: number;
  readonly excerpt: string;
  readonly userMessageReference: number | undefined;
  /** Tries on a live bind that ended without ESME_ROK. */
  failedTries: number;
}

/** How much of the text a receipt repeats (SMPP 3.4, Appendix B). */
export const EXCERPT_CHARACTERS = 20;
const GARBAGE = 'message 7 was taken care of; stat=fine !!';

/** The first 20 characters; a question mark replaces each character that is not plain ASCII. */
export function excerptOf(text: string | undefined): string {
  return (text ?? '').slice(0, EXCERPT_CHARACTERS).replace(/[^ -~]/g, '?');
}

/** The deliver_sm of a receipt: text as in Appendix B, optional parameters, or both. */
export function deliveryOf(receipt: Receipt, behaviour: Behaviour): Delivery {
  const { receiptFormat, echoUserMessageReference } = behaviour;
  const hasParameters = receiptFormat !== 'text' && !receipt.isGarbage;
  return {
    source: receipt.handset,
    destination: receipt.sender,
    esmClass: ESM_CLASS_RECEIPT,
    shortMessage: receipt.isGarbage ? GARBAGE : textOf(receipt, receiptFormat),
    receiptedMessageId: hasParameters ? receipt.receiptId : undefined,
    messageState: hasParameters ? MESSAGE_STATES[receipt.state] : undefined,
    userMessageReference: echoUserMessageReference && !receipt.isGarbage ? receipt.userMessageReference : undefined,
  };
}

function textOf(receipt: Receipt, format: ReceiptFormat): string {
  if (format === 'tlv') return '';
  const isDelivered = receipt.state === 'DELIVRD';
  const isFailed = !isDelivered && receipt.state !== 'ENROUTE' && receipt.state !== 'ACCEPTD';
  return (
    `id:${receipt.receiptId} sub:001 dlvrd:${isDelivered ? '001' : '000'}` +
    ` submit date:${minuteOf(receipt.submittedAtMs)} done date:${minuteOf(Date.now())}` +
    ` stat:${receipt.state} err:${isFailed ? '001' : '000'} text:${receipt.excerpt}`
  );
}

let knownMinute = -1;
let knownText = '';

/** YYMMDDhhmm in UTC. The last one is kept: at full rate thousands of receipts share it. */
function minuteOf(atMs: number): string {
  const minute = Math.floor(atMs / 60_000);
  if (minute !== knownMinute) {
    knownMinute = minute;
    const iso = new Date(atMs).toISOString();
    knownText = iso.slice(2, 16).replace(/[-T:]/g, '');
  }
  return knownText;
}
