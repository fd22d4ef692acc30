import { saveFile } from '../../shell/save-file.js';
import type { RowMessage } from './check-rows.js';
import type { CurrentSending } from './current-sending.js';
import { b } from './words.js';
import { type ExplainedRow, writeResult } from './write-result.js';

/** Gives the result of a send to the browser as a file. */
export async function downloadResult({ record, sending, notSent, delimiter }: CurrentSending): Promise<void> {
  const explain = ({ row, recipient }: RowMessage, reason: string): ExplainedRow => ({ row, recipient, reason });
  const accepted = [...sending.sentRows.map(({ message }) => message), ...sending.earlierRows];
  const sentRows = new Set(accepted.map(({ row }) => row));
  const later: ExplainedRow[] = sending.plan.chunks.flatMap((chunk) =>
    chunk.filter(({ row }) => !sentRows.has(row)).map((message) => explain(message, b.reasons.refused)),
  );
  const pieces = await writeResult({
    sent: sending.sentRows,
    earlier: sending.earlierRows.map((message) => explain(message, b.reasons.earlier)),
    notSent: [...notSent, ...later],
    currency: record.currency,
    delimiter,
  });
  const name = `${record.fileName.replace(/\.\w+$/, '')}-result.csv`;
  saveFile(new Blob(pieces, { type: 'text/csv;charset=utf-8' }), name);
}
