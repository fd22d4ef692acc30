import type { BatchSending } from './batch-sending.js';
import type { RowMessage } from './check-rows.js';
import { b } from './words.js';
import type { ExplainedRow, SendResult } from './write-result.js';

interface Send extends Pick<SendResult, 'notSent' | 'currency' | 'delimiter'> {
  readonly sending: BatchSending;
}

/** What has become of each row of a send, also if it has stopped before its end. */
export function resultOf({ sending, notSent, ...send }: Send): SendResult {
  const explain = ({ row, recipient }: RowMessage, reason: string): ExplainedRow => ({ row, recipient, reason });
  const accepted = [...sending.sentRows.map(({ message }) => message), ...sending.earlierRows];
  const acceptedRows = new Set(accepted.map(({ row }) => row));
  const refused = new Set([...sending.leftOutRows, ...sending.state.refused.map(({ row }) => row)]);
  const doubtful = new Set(sending.doubtfulRows.filter((row) => !refused.has(row)));
  const others = sending.plan.chunks.flatMap((chunk) => chunk.filter(({ row }) => !acceptedRows.has(row)));
  const later = others.filter(({ row }) => !doubtful.has(row));
  return {
    ...send,
    sent: sending.sentRows,
    earlier: sending.earlierRows.map((message) => explain(message, b.reasons.earlier)),
    unknown: others.filter(({ row }) => doubtful.has(row)).map((message) => explain(message, b.reasons.unknown)),
    notSent: [
      ...notSent,
      ...later.map((message) => explain(message, refused.has(message.row) ? b.reasons.refused : b.reasons.stopped)),
    ],
  };
}
