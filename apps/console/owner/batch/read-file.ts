import { type Charset, decodeFile } from './decode-file.js';
import { FILE_BYTES_MAX, type FileFault } from './file-fault.js';
import { fingerprintOf } from './fingerprint.js';
import { type ParsedFile, parseRows } from './parse-rows.js';

/** A file that was read, with all that its send needs to know of it. */
export interface ReadFile extends ParsedFile {
  readonly name: string;
  /** By which it is known again. */
  readonly mark: string;
  readonly charset: Charset;
  readonly text: string;
}

interface ReadOptions {
  /** Unset: as the file looks. */
  readonly charset?: Charset;
  readonly progress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** Reads a file that somebody has chosen; its bytes never leave the browser as a file. */
export async function readFile(file: File, { charset, ...options }: ReadOptions = {}): Promise<ReadFile | FileFault> {
  if (file.size > FILE_BYTES_MAX) return { kind: 'too_large', bytes: file.size };
  const bytes = new Uint8Array(await file.arrayBuffer());
  options.signal?.throwIfAborted();
  const decoded = decodeFile(bytes, charset);
  if ('kind' in decoded) return decoded;
  const parsed = await parseRows(decoded.text, options);
  return 'kind' in parsed ? parsed : { ...parsed, ...decoded, name: file.name, mark: fingerprintOf(bytes) };
}
