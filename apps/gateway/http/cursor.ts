import { createHash } from 'node:crypto';

/** Where a list goes on after a page. */
export interface Cursor {
  /** Only items with lower numbers. */
  readonly before: number;
  /** The number of the page. */
  readonly page: number;
  /** As it was counted for the first page. */
  readonly total: number;
  readonly isCapped: boolean;
}

const CURSOR = /^([0-9a-f]{12})\.([1-9]\d{0,15})\.([1-9]\d{0,12})\.(\d{1,16})\.([01])$/;

/**
 * A cursor as text. It belongs to one list: what was asked for, whoever asks.
 *
 * @param list everything that decides which items the list has
 */
export function cursorText(list: string, { before, page, total, isCapped }: Cursor): string {
  const parts = [listId(list), before, page, total, isCapped ? 1 : 0];
  return Buffer.from(parts.join('.')).toString('base64url');
}

/** Undefined if the text is no cursor, or one of another list. */
export function parseCursor(list: string, text: string): Cursor | undefined {
  const [, id, before, page, total, capped] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (id !== listId(list)) return undefined;
  return { before: Number(before), page: Number(page), total: Number(total), isCapped: capped === '1' };
}

function listId(list: string): string {
  return createHash('sha256').update(list).digest('hex').slice(0, 12);
}
