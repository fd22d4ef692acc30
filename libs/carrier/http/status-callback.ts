import { numberFromCarrier } from '#billing';
import { callingCodeOf } from '../calling-code.js';
import type { CarrierReceipt } from '../carrier.js';

const FINAL_STATES: Readonly<Record<string, 'delivered' | 'undelivered'>> = {
  delivered: 'delivered',
  // Only some channels report it, and a message that was read was delivered.
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'undelivered',
  canceled: 'undelivered',
};
const CODE_LENGTH_MAX = 40;

/**
 * A status callback as a receipt. Intermediate statuses (queued, sending, sent) and unknown ones are `pending`.
 *
 * @param query of the called URL; has our reference
 * @param options of the carrier, as they are stored
 * @returns undefined when it names no message
 */
export function readStatusCallback(
  parameters: URLSearchParams,
  query: string,
  options: Readonly<Record<string, unknown>>,
): CarrierReceipt | undefined {
  // Older copies of the API use names with Sms only.
  const status = (parameters.get('MessageStatus') ?? parameters.get('SmsStatus') ?? '').toLowerCase();
  const carrierMessageId = parameters.get('MessageSid') ?? parameters.get('SmsSid') ?? undefined;
  const userMessageReference = readReference(new URLSearchParams(query).get('ref'));
  const id = isId(carrierMessageId) ? carrierMessageId : undefined;
  if (id === undefined && userMessageReference === undefined) return undefined;
  const recipient = numberFromCarrier(parameters.get('To') ?? '', callingCodeOf(options));
  const error = parameters.get('ErrorCode') ?? '';
  const code = /^[1-9]\d{0,9}$/.test(error) ? `${status}/${error}` : status;
  return {
    carrierMessageId: id,
    userMessageReference,
    destination: recipient.replace(/\D/g, '').slice(0, 20),
    state: (Object.hasOwn(FINAL_STATES, status) ? FINAL_STATES[status] : undefined) ?? 'pending',
    code: code.replace(/[^\x20-\x7e]/g, '?').slice(0, CODE_LENGTH_MAX),
  };
}

function isId(text: string | undefined): boolean {
  return text !== undefined && text.length <= 64 && /^[\x21-\x7e]+$/.test(text);
}

function readReference(text: string | null): number | undefined {
  const reference = text !== null && /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return reference <= 0xffff ? reference : undefined;
}
