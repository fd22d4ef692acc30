export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** Rows of a page of a list. */
export const PAGE_ROWS = 50;
