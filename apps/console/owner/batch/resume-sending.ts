import { checkRows } from './check-rows.js';
import { beginSending } from './current-sending.js';
import { notSentFor } from './fault-name.js';
import { type ParsedFile, parseRows } from './parse-rows.js';
import { planFrom } from './plan.js';
import { readFile } from './read-file.js';
import type { SendingRecord } from './sending-record.js';
import { b } from './words.js';

/** Goes on with a send whose file this tab has kept. */
export async function resumeFromText(record: SendingRecord, text: string): Promise<boolean> {
  const parsed = await parseRows(text);
  if ('kind' in parsed) return false;
  await resume(record, parsed);
  return true;
}

/** Goes on with a send whose file is chosen again; false if it is another file. */
export async function resumeFromFile(record: SendingRecord, file: File): Promise<boolean> {
  const read = await readFile(file, { charset: record.charset });
  if ('kind' in read || read.mark !== record.fileMark) return false;
  await resume(record, read);
  return true;
}

/**
 * Makes the same requests again, from the first one: the service answers those that it has accepted as it did then, so
 * the result has their ids. Prices are not asked for again: the rows of the send were decided when it was confirmed.
 */
async function resume(record: SendingRecord, parsed: ParsedFile): Promise<void> {
  const { hasHeader, recipient, template, countryCode } = record;
  const { rows, columns, mapping } = planFrom(parsed, { hasHeader, recipient, template, countryCode });
  if (mapping === undefined) return;
  const { messages, faults } = await checkRows(rows, mapping, columns);
  const skipped = new Set(record.skippedRows);
  const faulty = new Set(faults.map(({ row }) => row));
  const leftOut = messages.filter(({ row }) => skipped.has(row) && !faulty.has(row));
  await beginSending({
    record,
    messages: messages.filter(({ row }) => !skipped.has(row)),
    notSent: [
      ...faults.map(notSentFor),
      ...leftOut.map(({ row, recipient: number }) => ({ row, recipient: number, reason: b.resume.leftOut })),
    ],
    delimiter: parsed.delimiter,
    isResumed: true,
  });
}
