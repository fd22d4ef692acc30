import type { Micros } from '#billing';
import type { RowMessage } from './check-rows.js';
import { notSentFor } from './fault-name.js';
import type { CheckedFile } from './use-check.js';
import { b } from './words.js';
import type { ExplainedRow } from './write-result.js';

/** The rows that are sent, and those that are not. */
export interface SelectedRows {
  readonly messages: readonly RowMessage[];
  readonly skipped: readonly ExplainedRow[];
  readonly segments: number;
  readonly total: Micros;
}

/** Leaves out what is at fault, and, if each number gets one message, the rows that repeat a number. */
export function selectRows({ messages, prices, faults }: CheckedFile, sendsOnce: boolean): SelectedRows {
  const selected: RowMessage[] = [];
  const skipped: ExplainedRow[] = faults.map(notSentFor);
  let segments = 0;
  let total = 0n;
  for (const [index, message] of messages.entries()) {
    if (sendsOnce && message.repeats !== undefined) {
      skipped.push({ row: message.row, recipient: message.recipient, reason: b.reasons.leftOut });
      continue;
    }
    selected.push(message);
    segments += message.segments;
    total += prices[index] ?? 0n;
  }
  return { messages: selected, skipped, segments, total };
}
