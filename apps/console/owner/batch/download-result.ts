import { saveFile } from '../../shell/save-file.js';
import type { CurrentSending } from './current-sending.js';
import { resultOf } from './result-of.js';
import { writeResult } from './write-result.js';

/** Gives the result of a send to the browser as a file. */
export async function downloadResult({ record, ...send }: CurrentSending): Promise<void> {
  const pieces = await writeResult(resultOf({ ...send, currency: record.currency }));
  const name = `${record.fileName.replace(/\.\w+$/, '')}-result.csv`;
  saveFile(new Blob(pieces, { type: 'text/csv;charset=utf-8' }), name);
}
