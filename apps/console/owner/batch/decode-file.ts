import type { FileFault } from './file-fault.js';

/** The character sets in which spreadsheets write CSV. */
export const CHARSETS = ['utf-8', 'windows-1252', 'windows-1250', 'windows-1251', 'utf-16le', 'utf-16be'] as const;
export type Charset = (typeof CHARSETS)[number];

export interface DecodedFile {
  readonly text: string;
  readonly charset: Charset;
}

/** How files begin that are no text: workbooks (ZIP, or the older OLE), and PDF. */
const ZIP = [0x50, 0x4b, 0x03, 0x04];
const OLE = [0xd0, 0xcf, 0x11, 0xe0];
const PDF = [0x25, 0x50, 0x44, 0x46];

/**
 * The text of a file. Without a byte order mark it is UTF-8 if it is valid UTF-8, else Windows-1252, as Excel writes
 * it; `wanted` reads it in another character set. The mark is left out.
 */
export function decodeFile(bytes: Uint8Array, wanted?: Charset): DecodedFile | FileFault {
  if (bytes.length === 0) return { kind: 'empty' };
  if (beginsWith(bytes, ZIP) || beginsWith(bytes, OLE)) return { kind: 'spreadsheet' };
  const marked = charsetOfMark(bytes);
  if (beginsWith(bytes, PDF) || (marked === undefined && wanted === undefined && hasNull(bytes))) {
    return { kind: 'not_text' };
  }
  const charset = wanted ?? marked;
  if (charset !== undefined) return { text: new TextDecoder(charset).decode(bytes), charset };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), charset: 'utf-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), charset: 'windows-1252' };
  }
}

function charsetOfMark(bytes: Uint8Array): Charset | undefined {
  if (beginsWith(bytes, [0xef, 0xbb, 0xbf])) return 'utf-8';
  if (beginsWith(bytes, [0xff, 0xfe])) return 'utf-16le';
  if (beginsWith(bytes, [0xfe, 0xff])) return 'utf-16be';
  return undefined;
}

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

/** No CSV has a null byte; pictures and programs have one early. */
function hasNull(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 65_536).includes(0);
}
