import { randomUUID } from 'node:crypto';

export const MESSAGE_ID_FORMS = ['decimal', 'hex', 'padded', 'uuid'] as const;
export type MessageIdForm = (typeof MESSAGE_ID_FORMS)[number];
export const RECEIPT_ID_FORMS = ['same', 'decimal', 'hex', 'upper-hex', 'padded'] as const;
export type ReceiptIdForm = (typeof RECEIPT_ID_FORMS)[number];

const PADDED_DIGITS = 20;
const IDS_PER_SECOND = 100_000;

/** The number of a message id, and the form in which submit_sm_resp writes it. */
export interface MessageId {
  readonly number: number;
  readonly text: string;
}

/** Makes message ids that do not repeat after a restart of the simulator, like a carrier's. */
export class MessageIds {
  private next = Math.floor(Date.now() / 1_000) * IDS_PER_SECOND;

  take(form: MessageIdForm): MessageId {
    const number = this.next++;
    return { number, text: form === 'uuid' ? randomUUID() : write(number, form) };
  }
}

/**
 * A message id as a receipt writes it: some carriers write responses in hexadecimal and receipts in decimal, or pad one
 * of them.
 */
export function receiptIdOf(id: MessageId, form: ReceiptIdForm): string {
  return form === 'same' ? id.text : write(id.number, form);
}

/** Another spelling of an id of that form, because some carriers are inconsistent. */
export function oddFormOf(form: ReceiptIdForm, submitted: MessageIdForm): ReceiptIdForm {
  const base = form === 'same' ? submitted : form;
  if (base === 'uuid') return 'same';
  return base === 'hex' || base === 'upper-hex' ? 'upper-hex' : 'padded';
}

function write(number: number, form: 'decimal' | 'hex' | 'upper-hex' | 'padded'): string {
  switch (form) {
    case 'decimal':
      return String(number);
    case 'hex':
      return number.toString(16);
    case 'upper-hex':
      return number.toString(16).toUpperCase();
    case 'padded':
      return String(number).padStart(PADDED_DIGITS, '0');
  }
}
