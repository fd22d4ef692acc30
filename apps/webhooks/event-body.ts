import { changeReason, formatMicros, type OrderState } from '#billing';
import type { EventBatch, EventMessage } from '#persistence';

/** Grows with each status that a message can get, so that a receiver can drop an event that comes late. */
const SEQUENCES: Readonly<Partial<Record<OrderState, number>>> = {
  sent: 1,
  unknown: 2,
  undelivered: 3,
  delivered: 4,
  failed: 4,
  canceled: 4,
};

/**
 * The body of an event: as of its time, so every attempt sends the same. It has neither the text nor the number.
 *
 * @param accountId of a sandbox: the event is about a test message
 */
export function eventBody(
  { type, at, data, codes, messageIds }: EventBatch,
  index: number,
  message: EventMessage | undefined,
  accountId: string,
): string {
  const test = accountId.startsWith('-');
  const about = data ?? aboutMessage(type, messageIds[index] ?? '', codes?.[index] ?? undefined, message);
  return JSON.stringify({ type, timestamp: at.toISOString(), data: { ...about, test } });
}

function aboutMessage(
  type: string,
  messageId: string,
  code: string | undefined,
  message: EventMessage | undefined,
): Record<string, unknown> {
  const status = type.replace('message.', '') as OrderState;
  const { reason, carrierCode } = changeReason(status, code);
  return {
    messageId,
    reference: message?.reference ?? null,
    tag: message?.tag ?? null,
    status,
    reason: reason ?? null,
    carrierCode: carrierCode ?? null,
    sequence: SEQUENCES[status] ?? 0,
    // Retention may have dropped the message meanwhile.
    segments: message?.segments ?? null,
    amount: message === undefined ? null : Number(formatMicros(message.amount)),
    currency: message?.currency ?? null,
  };
}
