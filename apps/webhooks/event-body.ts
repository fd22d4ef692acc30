import { changeReason, formatMicros, type OrderState } from '#billing';
import { type EventBatch, type EventMessage, type InboundItem, TextUnreadable } from '#persistence';
import { type EventSubjects, RECEIVED } from './event-subjects.js';

/** Characters of a received text, so that a body stays below 20 kB. */
const TEXT_MAX = 3_000;

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
 * The body of an event: as of its time, so every attempt sends the same. It has neither the text nor the number of a
 * message that was sent, because its sender knows them. Of a message that was received it has both.
 *
 * @param accountId of a sandbox: the event is about a test message
 * @returns why the text of the message cannot be read, if that is so
 */
export function eventBody(
  { type, at, data, codes, messageIds }: EventBatch,
  index: number,
  { sent, received }: EventSubjects,
  accountId: string,
): string | TextUnreadable {
  const test = accountId.startsWith('-');
  const id = messageIds[index] ?? '';
  const item = received.get(id);
  if (item instanceof TextUnreadable) return item;
  const about =
    data ??
    (type === RECEIVED ? aboutReceived(id, item) : aboutMessage(type, id, codes?.[index] ?? undefined, sent.get(id)));
  return JSON.stringify({ type, timestamp: at.toISOString(), data: { ...about, test } });
}

function aboutReceived(inboundId: string, item: InboundItem | undefined): Record<string, unknown> {
  return {
    inboundId,
    sender: item?.source ?? null,
    recipient: item?.destination ?? null,
    // Not half of a surrogate pair at its end: databases refuse JSON with one.
    message: item?.message.slice(0, TEXT_MAX).replace(/[\ud800-\udbff]$/, '') ?? null,
    keyword: item?.keyword ?? null,
    inReplyTo: item?.inReplyTo ?? null,
    missingParts: item?.missingParts ?? 0,
    receivedAt: item?.receivedAt.toISOString() ?? null,
  };
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
