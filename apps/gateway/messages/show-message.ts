import { Injectable } from '@nestjs/common';
import { changeReason, type OrderState, orderEnd } from '#billing';
import { FreshReads, type KeyHolder, type MessageRecord, messageRecord, type SegmentState } from '#persistence';
import { Problem } from '../http/problem.js';
import { testMark } from '../http/test-mark.js';
import type { Message, SegmentDetail, StatusChange } from './message.dto.js';

/** The status of a segment, in the words for messages. */
const SEGMENT_STATUS: Readonly<Record<SegmentState, OrderState>> = {
  pending: 'queued',
  submitting: 'sending',
  in_doubt: 'sending',
  accepted: 'sent',
  refused: 'failed',
  delivered: 'delivered',
  undelivered: 'undelivered',
  unknown: 'unknown',
};

/** USE CASE: everything that a client may know of one message, as of a moment after the request arrived. */
@Injectable()
export class ShowMessage {
  constructor(private readonly reads: FreshReads) {}

  /** @throws Problem `not_found`, in the same words for an id that is unknown and for one of another account */
  async show(account: KeyHolder, messageId: string): Promise<Message> {
    const found = await this.reads.read((database) => messageRecord(database, messageId));
    if (found?.accountId !== account.accountId)
      throw new Problem('not_found', 'This account has no message with this id.');
    return { ...shown(found), test: testMark(account) };
  }
}

function shown(found: MessageRecord): Message {
  const { reason, carrierCode } = orderEnd(found.state, found.carrierCode);
  return {
    messageId: found.id,
    reference: found.reference ?? null,
    tag: found.tag ?? null,
    recipient: found.recipient,
    message: found.message,
    status: found.state,
    reason: reason ?? null,
    carrierCode: carrierCode ?? null,
    encoding: found.encoding,
    segments: found.segmentCount,
    price: found.price,
    amount: found.amount,
    currency: found.currency,
    createdAt: found.createdAt,
    sendAt: found.sendAt ?? null,
    sender: found.sender ?? null,
    validUntil: found.validUntil,
    sentAt: found.sentAt ?? null,
    finalAt: found.finalAt ?? null,
    segmentDetails: segmentsOf(found),
    history: historyOf(found),
  };
}

/** The states in which a message has segments that were not handed to a carrier. */
const NOT_SUBMITTED: readonly OrderState[] = ['scheduled', 'failed', 'canceled'];

/** Segments that were never handed to a carrier are not stored one by one. */
function segmentsOf({ segmentCount, segments, state }: MessageRecord): SegmentDetail[] {
  const [first] = segments;
  const notSubmitted: OrderState = NOT_SUBMITTED.includes(state) ? state : 'queued';
  return Array.from({ length: segmentCount }, (_, index) => {
    const position = index + 1;
    const segment = first?.isWhole ? first : segments.find((one) => one.position === position);
    const status = segment === undefined ? notSubmitted : SEGMENT_STATUS[segment.state];
    return {
      position,
      status: status === 'queued' ? notSubmitted : status,
      carrierCode: segment?.carrierCode ?? null,
      sentAt: segment?.acceptedAt ?? null,
      finalAt: segment?.settledAt ?? null,
    };
  });
}

function historyOf({ createdAt, sendAt, transitions }: MessageRecord): StatusChange[] {
  return [
    { at: createdAt, status: sendAt ? 'scheduled' : 'queued', reason: null, carrierCode: null },
    ...transitions.map(({ at, to, carrierCode: code }): StatusChange => {
      const { reason, carrierCode } = changeReason(to, code);
      return { at, status: to, reason: reason ?? null, carrierCode: carrierCode ?? null };
    }),
  ];
}
