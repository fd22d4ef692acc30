import type { Database, Queryable } from '../database/database.js';
import type { InboundKeyword } from './find-inbound.js';
import { type JoinedMessage, joinParts, storableText } from './join-parts.js';
import { cancelForKeywords, hashFor, type KeywordMessage, keywordsOf, obeyKeywords } from './obey-keywords.js';
import { openParts, PART_COLUMNS, type StoredPart, sealContent } from './part-contents.js';

/** A delivery from a handset, as the carrier's adapter read it. */
export interface InboundDelivery {
  readonly source: string;
  readonly destination: string;
  /** May begin or end with half a character. */
  readonly text: string;
  readonly part: { readonly reference: number; readonly number: number; readonly total: number } | undefined;
  readonly fingerprint: Buffer;
  readonly isNumbered: boolean;
  readonly connection: string;
  readonly mayRepeat: boolean;
}

/** The carrier that brought it, and how its messages are sent. */
export interface InboundCarrier {
  readonly carrierId: number;
  /** The sender of messages that have none. */
  readonly sender: string;
  /** It replaces the sender of every message. */
  readonly isSenderFixed: boolean;
}

/**
 * What became of a delivery. `part`: it waits for the other parts of its message. `unassigned`: nobody's message was
 * answered.
 */
export type InboundOutcome = 'stored' | 'unassigned' | 'part' | 'repeated';

interface WholeMessage extends JoinedMessage {
  readonly keyword: InboundKeyword | undefined;
}

/** An answer counts for the account that sent to the handset within this time. */
const ANSWER_DAYS = 30;

/**
 * Stores deliveries of one carrier, gives whole messages to the accounts that they answer, and obeys STOP and START;
 * durable when it resolves. One transaction: all or none.
 *
 * @returns the outcomes, in the order of the deliveries
 */
export async function storeInbound(
  database: Database,
  carrier: InboundCarrier,
  deliveries: readonly InboundDelivery[],
): Promise<InboundOutcome[]> {
  const texts = deliveries.map(({ part, text }) => (part === undefined ? text : ''));
  const keywords = await keywordsOf(database, texts);
  const hash = await hashFor(database, keywords);
  const { outcomes, obeyed } = await database.transaction(async (transaction) => {
    const partIds = await takeParts(transaction, carrier.carrierId, deliveries);
    const isNew = (index: number) => partIds[index] !== null;
    const outcomes = partIds.map((id): InboundOutcome => (id === null ? 'repeated' : 'part'));
    const places: number[] = [];
    const messages: WholeMessage[] = [];
    deliveries.forEach(({ source, destination, text, part }, index) => {
      if (part !== undefined || !isNew(index)) return;
      const [message, keyword] = [storableText(text), keywords[index]];
      messages.push({ source, destination, message, keyword, parts: 1, missing: 0, partIds: [] });
      places.push(index);
    });
    const long = deliveries.filter(({ part }, index) => part !== undefined && isNew(index));
    for (const joined of long.length === 0 ? [] : await takeJoined(transaction, carrier.carrierId, long)) {
      messages.push({ ...joined, keyword: undefined });
      places.push(partIds.findLastIndex((id) => id !== null && joined.partIds.includes(id)));
    }
    const accounts = await storeMessages(transaction, carrier, messages);
    const said: KeywordMessage[] = [];
    messages.forEach(({ source, keyword }, place) => {
      const accountId = accounts[place];
      const index = places[place] ?? -1;
      if (index >= 0) outcomes[index] = accountId === undefined ? 'unassigned' : 'stored';
      if (index >= 0 && accountId !== undefined) said[index] = { accountId, source, keyword };
    });
    const mayBeNew = (index: number) => !isNew(index) && deliveries[index]?.isNumbered === false;
    const again = keywords.flatMap((keyword, index) => (keyword === 'stop' && mayBeNew(index) ? [index] : []));
    for (const { index, ...stop } of await stopsSaidAgain(transaction, carrier, deliveries, again)) said[index] = stop;
    const obeyed = said.filter(({ keyword }) => keyword !== undefined);
    await obeyKeywords(transaction, hash, obeyed);
    return { outcomes, obeyed };
  });
  await cancelForKeywords(database, obeyed).catch(() => undefined);
  return outcomes;
}

/**
 * A STOP that looks like a repetition, because it came by another connection, may have been said again after a START.
 * So it is obeyed, although it is not stored a second time.
 *
 * @param indexes of the deliveries
 */
async function stopsSaidAgain(
  transaction: Queryable,
  { sender, isSenderFixed }: InboundCarrier,
  deliveries: readonly InboundDelivery[],
  indexes: readonly number[],
): Promise<(KeywordMessage & { readonly index: number })[]> {
  if (indexes.length === 0) return [];
  const stops = indexes.map((index) => deliveries[index] as InboundDelivery);
  const rows = await transaction.query<{ index: number; source: string; account_id: string }>(
    `select u.index, u.source, a.account_id
       from unnest($1::integer[], $2::text[], $3::text[]) as u(index, source, to_number)
      cross join lateral answered_account(u.source, u.to_number, $4, $5, $6) a where a.account_id is not null`,
    [
      indexes,
      stops.map(({ source }) => source),
      stops.map(({ destination }) => destination),
      sender,
      isSenderFixed,
      ANSWER_DAYS,
    ],
  );
  return rows.map(({ index, source, account_id }) => ({ index, source, accountId: account_id, keyword: 'stop' }));
}

/**
 * Stores messages and gives them to accounts.
 *
 * @returns the account of each one; undefined: nobody's message was answered
 */
export async function storeMessages(
  transaction: Queryable,
  { carrierId, sender, isSenderFixed }: InboundCarrier,
  messages: readonly WholeMessage[],
): Promise<(string | undefined)[]> {
  if (messages.length === 0) return [];
  // Loaded when it is needed, not by every command of smsctl. Each id is above the one before it.
  const { v7: uuidV7 } = await import('uuid');
  const ids = messages.map(() => uuidV7());
  const rows = await transaction.query<{ n: string; account_id: string }>(
    'select * from store_inbound($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    [
      carrierId,
      ids,
      messages.map(({ source }) => source),
      messages.map(({ destination }) => destination),
      messages.map(({ message }, place) => transaction.texts.seal(message, `inbound:${ids[place]}`)),
      messages.map(({ parts }) => parts),
      messages.map(({ missing }) => missing),
      messages.map(({ keyword }) => keyword ?? null),
      sender,
      isSenderFixed,
      ANSWER_DAYS,
    ],
  );
  const accounts = new Map(rows.map(({ n, account_id }) => [Number(n) - 1, account_id]));
  return messages.map((_message, place) => accounts.get(place));
}

async function takeParts(
  transaction: Queryable,
  carrierId: number,
  deliveries: readonly InboundDelivery[],
): Promise<(string | null)[]> {
  const { texts } = transaction;
  // The fingerprint of a numbered message is of its number.
  const fingerprints = deliveries.map(({ isNumbered, fingerprint }) =>
    isNumbered ? fingerprint : texts.fingerprint(fingerprint),
  );
  const [row] = await transaction.query<{ ids: (string | null)[] }>(
    'select take_inbound_parts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)::text[] as ids',
    [
      carrierId,
      fingerprints,
      deliveries.map(({ isNumbered }) => isNumbered),
      deliveries.map(({ connection }) => connection),
      deliveries.map(({ mayRepeat }) => mayRepeat),
      deliveries.map(({ source }) => source),
      deliveries.map(({ destination }) => destination),
      deliveries.map(({ part }) => part?.reference ?? null),
      deliveries.map(({ part }) => part?.total ?? null),
      deliveries.map(({ part }) => part?.number ?? null),
      deliveries.map(({ part, text }, place) =>
        part === undefined ? null : sealContent(texts, text, fingerprints[place] ?? Buffer.of()),
      ),
    ],
  );
  return row?.ids ?? [];
}

/** The long messages that these parts have made whole; their parts are no longer open. */
async function takeJoined(
  transaction: Queryable,
  carrierId: number,
  deliveries: readonly InboundDelivery[],
): Promise<JoinedMessage[]> {
  const parts = await transaction.query<StoredPart>(
    `select ${PART_COLUMNS} from inbound_part p
      where p.carrier_id = $1 and p.content is not null
        and (p.source, p.destination) in (select * from unnest($2::text[], $3::text[]))
      order by p.part_id`,
    [carrierId, deliveries.map(({ source }) => source), deliveries.map(({ destination }) => destination)],
  );
  const { messages } = joinParts(await openParts(transaction, parts));
  await forgetContents(transaction, messages);
  return messages;
}

/** The text stands in the message now. */
export async function forgetContents(transaction: Queryable, messages: readonly JoinedMessage[]): Promise<void> {
  const partIds = messages.flatMap((message) => message.partIds);
  if (partIds.length === 0) return;
  await transaction.query('update inbound_part set content = null where part_id = any($1)', [partIds]);
}
