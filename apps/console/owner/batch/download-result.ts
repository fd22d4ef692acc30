import { saveFile } from '../../shell/save-file.js';
import type { CurrentSending } from './current-sending.js';
import { b } from './words.js';
import { type NotSentRow, writeResult } from './write-result.js';

/** Gives the result of a send to the browser as a file. */
export async function downloadResult({ record, sending, notSent, delimiter }: CurrentSending): Promise<void> {
  const sentRows = new Set(sending.sentRows.map(({ message }) => message.row));
  const later: NotSentRow[] = sending.plan.chunks.flatMap((chunk) =>
    chunk
      .filter(({ row }) => !sentRows.has(row))
      .map(({ row, recipient }) => ({ row, recipient, reason: b.reasons.refused })),
  );
  const pieces = await writeResult({
    sent: sending.sentRows,
    notSent: [...notSent, ...later],
    currency: record.currency,
    delimiter,
  });
  const name = `${record.fileName.replace(/\.\w+$/, '')}-result.csv`;
  saveFile(new Blob(pieces, { type: 'text/csv;charset=utf-8' }), name);
}
