import type { Queryable } from '../database/database.js';
import { learnTextKeys, TextUnreadable } from '../texts/text-keys.js';

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
/**
 * A call with filters examines no more messages: all of 300,000 took the database 0.2 s. Of those since `from`: a list
 * by time has to end there, or who polls would walk the whole inbox.
 */
const EXAMINED_MAX = 5_000;

export type InboundRow = Omit<InboundItem, 'keyword' | 'inReplyTo'> & {
  readonly keyword: InboundKeyword | null;
  readonly inReplyTo: string | null;
};

export const INBOUND_COLUMNS = `m.inbound_id as "inboundId", m.source, m.destination, m.message, m.keyword,
  m.in_reply_to as "inReplyTo", m.parts, m.missing_parts as "missingParts", m.received_at as "receivedAt"`;

/**
 * A page of an account's inbox: by its number, counted from 1, or the one that follows another (`before`). A page of
 * filtered messages may be short, even empty, and still have a next one.
 */
export async function findInbound(
  database: Queryable,
  accountId: string,
  { page, limit, before }: { readonly page: number; readonly limit: number; readonly before?: number | undefined },
  filters: InboundFilters = {},
): Promise<InboundPage> {
  const { first, others, parameters, firstParameters } = selection(accountId, filters, before);
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const examined = `select * from inbound_message m where ${first} order by m.number desc`;
  const found = `from (${examined} limit ${isFiltered ? EXAMINED_MAX : 'all'}) m where ${others || 'true'}`;
  const count = () => (isFiltered ? countFound(database, found, parameters) : countAll(database, accountId));
  const total = before === undefined ? await count() : undefined;
  const skipped = before === undefined ? (page - 1) * limit : 0;
  if (total !== undefined && skipped > 0 && skipped >= total.total) return { items: [], ...total, next: undefined };
  // An inbox has numbers without gaps: without filters a page begins at its number, so a deep one costs no more.
  const [offset, values] =
    isFiltered || total === undefined ? [skipped, parameters] : [0, [accountId, total.total - skipped + 1]];
  const rows = await database.query<InboundRow & { number: string }>(
    `select m.number, ${INBOUND_COLUMNS} ${found} order by m.number desc offset ${offset} limit ${limit + 1}`,
    values,
  );
  const shown = rows.slice(0, limit);
  // The last one that was examined, if there may be more behind it.
  const [end] =
    others !== '' && (total !== undefined || rows.length <= limit)
      ? await database.query<{ number: string }>(`${examined} offset ${EXAMINED_MAX - 1} limit 1`, firstParameters)
      : [];
  const last = rows.length > limit ? shown.at(-1) : end;
  return {
    items: await inboundItems(database, shown, inboundItem),
    total: total?.total,
    isCapped: total !== undefined && (total.isCapped || end !== undefined),
    next: last === undefined ? undefined : Number(last.number),
  };
}

/**
 * By id, whoever's they are. A message that is no longer kept is not there; in place of one whose text this process
 * cannot read stands the reason.
 */
export async function inboundById(
  database: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, InboundItem | TextUnreadable>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query<InboundRow>(
    `select ${INBOUND_COLUMNS} from inbound_message m where m.inbound_id = any($1)`,
    [ids],
  );
  await learnKeysOf(database, rows);
  return new Map(rows.map((row) => [row.inboundId, readableItem(database, row)]));
}

function readableItem(database: Queryable, row: InboundRow): InboundItem | TextUnreadable {
  try {
    return inboundItem(opened(database, row));
  } catch (error) {
    if (error instanceof TextUnreadable) return error;
    throw error;
  }
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
  await learnKeysOf(database, rows);
  return rows.map((row) => itemOf(opened(database, row)));
}

function learnKeysOf(database: Queryable, rows: readonly InboundRow[]): Promise<void> {
  return learnTextKeys(
    database,
    rows.map(({ message }) => message),
  );
}

function opened<Row extends InboundRow>(database: Queryable, row: Row): Row {
  return { ...row, message: database.texts.open(row.message, `inbound:${row.inboundId}`) };
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

/** `first` are the conditions on the messages that are examined; the `others` are looked for among these. */
function selection(
  accountId: string,
  { source, destination, keyword, from, to }: InboundFilters,
  before: number | undefined,
): Record<'first' | 'others', string> & Record<'parameters' | 'firstParameters', readonly unknown[]> {
  const parameters: unknown[] = [];
  const all = (conditions: readonly (readonly [condition: string, value: unknown])[]): string => {
    const given = conditions.filter(([, value]) => value !== undefined);
    return given.map(([condition, value]) => `${condition} $${parameters.push(value)}`).join(' and ');
  };
  const first = all([
    ['m.account_id =', accountId],
    ['m.number <', before ?? '9223372036854775807'],
    ['m.source =', source],
    ['m.received_at >=', from],
  ]);
  const firstParameters = [...parameters];
  const others = all([
    ['sender_key(m.destination) =', destination],
    ['m.keyword =', keyword],
    ['m.received_at <', to],
  ]);
  return { first, others, parameters, firstParameters };
}

interface InboundTotal {
  readonly total: number;
  readonly isCapped: boolean;
}

/** Without filters the inbox knows how many it has had. */
async function countAll(database: Queryable, accountId: string): Promise<InboundTotal> {
  const [inbox] = await database.query<{ total: string }>(
    'select last_number as total from inbox where account_id = $1',
    [accountId],
  );
  return { total: Number(inbox?.total ?? 0), isCapped: false };
}

async function countFound(database: Queryable, found: string, parameters: readonly unknown[]): Promise<InboundTotal> {
  const [row] = await database.query<{ total: string }>(
    `select count(*) as total from (select ${found} limit ${COUNTED_MAX + 1}) c`,
    parameters,
  );
  const total = Number(row?.total ?? 0);
  return { total: Math.min(total, COUNTED_MAX), isCapped: total > COUNTED_MAX };
}
