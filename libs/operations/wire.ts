import { formatMicros, type Micros, parseMicros } from '#billing';
import { OperatorError } from '#persistence';

/**
 * An answer as JSON has it: a bigint is an amount in micro-units and becomes a decimal string, because a reader's
 * numbers may not be exact; a Date becomes ISO 8601 in UTC.
 */
export type Wire<Value> = Value extends bigint | Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Wire<Value[Key]> }
      : Value;

/** An answer of the operators' API as its JSON text. */
export function wireJson(answer: unknown): string {
  return JSON.stringify(answer, (_name, value: unknown) => (typeof value === 'bigint' ? formatMicros(value) : value));
}

/** The same without a network between: what a reader of the JSON gets. */
export function asWire<Answer>(answer: Answer): Wire<Answer> {
  return JSON.parse(wireJson(answer ?? null)) as Wire<Answer>;
}

/** A page of a list; `next` is the `cursor` of the page that follows. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** What every list with pages is asked with. */
export interface Paging {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export const PAGE_ITEMS = 100;
export const PAGE_ITEMS_MAX = 1_000;

/**
 * A page of a list that is read by the last item of the page before.
 *
 * @param read reads up to `limit` items behind `after`
 * @param keyOf by which `after` names an item
 */
export async function pageBy<Found, Item>(
  { limit = PAGE_ITEMS, cursor }: Paging,
  read: (limit: number, after: string | undefined) => Promise<readonly Found[]>,
  keyOf: (found: Found) => string,
  itemOf: (found: Found) => Item,
): Promise<Page<Item>> {
  // One more than the page has says whether another page follows.
  const found = await read(limit + 1, cursor);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(itemOf), next: found.length > limit && last !== undefined ? keyOf(last) : null };
}

/** @throws OperatorError when a period, or what is made of it, would end before it begins; nothing would stand in it */
export function checkPeriod(from: string | undefined, to: string | undefined, what = 'period'): void {
  if (from === undefined || to === undefined || new Date(from) <= new Date(to)) return;
  throw new OperatorError(`the ${what} would end before it begins`);
}

export function microsOf(amount: string): Micros {
  return parseMicros(amount);
}

export function momentOf(time: string): Date;
export function momentOf(time: string | undefined): Date | undefined;
export function momentOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
