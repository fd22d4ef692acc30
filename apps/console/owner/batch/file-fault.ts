/** Why a file cannot be used at all; its rows are not looked at then. */
export type FileFault =
  | { readonly kind: 'empty' }
  | { readonly kind: 'too_large'; readonly bytes: number }
  | { readonly kind: 'spreadsheet' }
  | { readonly kind: 'not_text' }
  | { readonly kind: 'open_quote'; readonly row: number }
  | { readonly kind: 'no_rows' }
  | { readonly kind: 'too_many_rows' };

/** The largest file: 100,000 rows of long messages. */
export const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** The most rows that are read. */
export const ROWS_MAX = 200_000;
