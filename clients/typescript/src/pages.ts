import { ConnectionError } from './errors.js';
import type { CallOptions } from './options.js';
import type { Query, Transport } from './transport.js';

/** The first page, awaited; or all items of all pages, one by one, with `for await`. */
export type Pages<Page extends AnyPage> = Promise<Page> & AsyncIterable<ItemOf<Page>>;

interface AnyPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly page: number; readonly total_pages: number; readonly next?: string | null };
}

type ItemOf<Page extends AnyPage> = Awaited<Page['data'][number]>;

/** As many as the service gives at once. */
const LIMIT = 100;

/** A list of the service. Goes on by its cursors, which new items do not shift; the list of keys has none. */
export function pagesOf<Page extends AnyPage>(
  transport: Transport,
  path: string,
  { page, ...query }: Query & { readonly page?: number | undefined } = {},
  options?: CallOptions,
): Pages<Page> {
  const get = (place: Query) => transport.get<Page>(path, options, { limit: LIMIT, ...query, ...place });
  const first = get({ page });

  async function* items(): AsyncGenerator<ItemOf<Page>, void, undefined> {
    for (let current = await first; ; ) {
      if (!(current?.data && current.pagination)) throw new ConnectionError('The answer is no list');
      yield* current.data as ItemOf<Page>[];
      const place = placeAfter(current);
      if (place === undefined) return;
      current = await get(place);
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}

function placeAfter({ pagination }: AnyPage): Query | undefined {
  const { page, total_pages, next } = pagination;
  if (next !== undefined) return next === null ? undefined : { cursor: next };
  return page < total_pages ? { page: page + 1 } : undefined;
}
