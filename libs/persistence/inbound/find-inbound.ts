import type { Queryable } from '../database/database.js';
import { learnTextKeys } from '../texts/text-keys.js';

/** What the whole text of a message asks for. */
export const INBOUND_KEYWORDS = ['stop', 'start', 'help'] as const;
export type InboundKeyword = (typeof INBOUND_KEYWORDS)[number];

/** A message from a handset, as its account sees it. */
export interface InboundItem {
  readonly inboundId: string;
  /** The handset. */
  readonly source: string;
  /** The number or sender that it was sent to. */
  readonly destination: string;
  readonly message: string;
  readonly keyword: InboundKeyword | undefined;
  /** The message that it answers. */
  readonly inReplyTo: string | undefined;
  readonly parts: number;
  readonly missingParts: number;
  readonly receivedAt: Date;
}

/** Which messages of an inbox; all if it is empty. */
export interface InboundFilters {
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
  readonly keyword?: InboundKeyword | undefined;
  /** Received at or after. */
  readonly from?: Date | undefined;
  /** Received before. */
  readonly to?: Date | undefined;
}

export interface InboundPage {
  /** Newest first. */
  readonly items: readonly InboundItem[];
  /** Undefined on a page that was asked for by `before`. */
  readonly total: number | undefined;
  /** There may be more than `total`. */
  readonly isCapped: boolean;
  /** What `before` has to be for the next page; undefined: there is none. */
  readonly next: number | undefined;
}

/** Of filtered messages at most so many are counted, and reached by page numbers. */
const COUNTED_MAX = 1_000;

export type InboundRow = Omit<InboundItem, 'keyword' | 'inReplyTo'> & {
  readonly keyword: InboundKeyword | null;
  readonly inReplyTo: string | null;
};

export const INBOUND_COLUMNS = `m.inbound_id as "inboundId", m.source, m.destination, m.message, m.keyword,
  m.in_reply_to as "inReplyTo", m.parts, m.missing_parts as "missingParts", m.received_at as "receivedAt"`;

/** A page of an account's inbox: by its number, counted from 1, or the one that follows another (`before`). */
export async function findInbound(
  database: Queryable,
  accountId: string,
  { page, limit, before }: { readonly page: number; readonly limit: number; readonly before?: number | undefined },
  filters: InboundFilters = {},
): Promise<InboundPage> {
  const { conditions, parameters } = selection(accountId, filters);
  const isFiltered = conditions.length > 1;
  const where = conditions.join(' and ');
  const total = before === undefined ? await count(database, isFiltered, where, parameters) : undefined;
  const skipped = (page - 1) * limit;
  if (total !== undefined && skipped >= total.total) return { items: [], ...total, next: undefined };
  const rows = await database.query<InboundRow & { number: string }>(
    `select m.number, ${INBOUND_COLUMNS} from inbound_message m
      where ${where} and m.number < $${parameters.length + 1}
      order by m.number desc offset $${parameters.length + 2} limit $${parameters.length + 3}`,
    [...parameters, before ?? '9223372036854775807', before === undefined ? skipped : 0, limit + 1],
  );
  const shown = rows.slice(0, limit);
  return {
    items: await inboundItems(database, shown, inboundItem),
    total: total?.total,
    isCapped: total?.isCapped ?? false,
    next: rows.length > limit ? Number(shown.at(-1)?.number) : undefined,
  };
}

/** By id, whoever's they are. A message that is no longer kept is not there. */
export async function inboundById(
  database: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, InboundItem>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query<InboundRow>(
    `select ${INBOUND_COLUMNS} from inbound_message m where m.inbound_id = any($1)`,
    [ids],
  );
  return new Map((await inboundItems(database, rows, inboundItem)).map((item) => [item.inboundId, item]));
}

/**
 * Items of rows, with their texts opened.
 *
 * @throws TextUnreadable when this process cannot read one
 */
export async function inboundItems<Row extends InboundRow, Item>(
  database: Queryable,
  rows: readonly Row[],
  itemOf: (row: Row) => Item,
): Promise<Item[]> {
  await learnTextKeys(
    database,
    rows.map(({ message }) => message),
  );
  return rows.map((row) => itemOf({ ...row, message: database.texts.open(row.message, `inbound:${row.inboundId}`) }));
}

export function inboundItem({ inboundId, source, destination, message, ...row }: InboundRow): InboundItem {
  const { parts, missingParts, receivedAt } = row;
  return {
    inboundId,
    source,
    destination,
    message,
    keyword: row.keyword ?? undefined,
    inReplyTo: row.inReplyTo ?? undefined,
    parts,
    missingParts,
    receivedAt,
  };
}

function selection(
  accountId: string,
  { source, destination, keyword, from, to }: InboundFilters,
): { conditions: readonly string[]; parameters: readonly unknown[] } {
  const conditions = ['m.account_id = $1'];
  const parameters: unknown[] = [accountId];
  for (const [condition, value] of [
    ['m.source =', source],
    ['sender_key(m.destination) =', destination],
    ['m.keyword =', keyword],
    ['m.received_at >=', from],
    ['m.received_at <', to],
  ] as const) {
    if (value === undefined) continue;
    parameters.push(value);
    conditions.push(`${condition} $${parameters.length}`);
  }
  return { conditions, parameters };
}

/** Without filters the inbox knows how many it has had. */
async function count(
  database: Queryable,
  isFiltered: boolean,
  where: string,
  parameters: readonly unknown[],
): Promise<{ total: number; isCapped: boolean }> {
  const [row] = await database.query<{ total: string }>(
    isFiltered
      ? `select count(*) as total from (select from inbound_message m where ${where} limit ${COUNTED_MAX + 1}) c`
      : 'select last_number as total from inbox where account_id = $1',
    parameters,
  );
  const total = Number(row?.total ?? 0);
  return isFiltered
    ? { total: Math.min(total, COUNTED_MAX), isCapped: total > COUNTED_MAX }
    : { total, isCapped: false };
}
