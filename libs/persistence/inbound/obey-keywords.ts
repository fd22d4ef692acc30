import { parseRecipient } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { cancelOptedOut } from '../guards/cancel-opted-out.js';
import { type NumberHash, numberHash } from '../guards/number-hash.js';
import { putOnList } from '../guards/suppress.js';
import { takeOffList } from '../guards/unsuppress.js';
import type { InboundKeyword } from './find-inbound.js';
import { foldWord } from './fold-word.js';

/** A message whose whole text may be a keyword, and the account that it answers. */
export interface KeywordMessage {
  readonly accountId: string;
  readonly source: string;
  readonly keyword: InboundKeyword | undefined;
}

/** The keywords of texts: of each one, or undefined. */
export async function keywordsOf(
  database: Queryable,
  texts: readonly string[],
): Promise<(InboundKeyword | undefined)[]> {
  const words = texts.map(foldWord);
  const asked = [...new Set(words.flatMap((word) => word ?? []))];
  if (asked.length === 0) return words.map(() => undefined);
  const rows = await database.query<{ word: string; action: InboundKeyword }>(
    'select word, action from inbound_keyword where word = any($1)',
    [asked],
  );
  const actions = new Map(rows.map(({ word, action }) => [word, action]));
  return words.map((word) => actions.get(word ?? ''));
}

/** What hashes the numbers of opt-outs; undefined if no keyword needs it. To be asked for before a transaction. */
export async function hashFor(
  database: Database,
  keywords: readonly (InboundKeyword | undefined)[],
): Promise<NumberHash | undefined> {
  return keywords.some(isObeyed) ? numberHash(database) : undefined;
}

/**
 * Puts the numbers that said STOP on the suppression lists of their accounts and takes those that said START off, in
 * the order of the messages. In the transaction that stores them: a STOP that is acknowledged is obeyed.
 * Locks: balance rows, in the order of the accounts.
 */
export async function obeyKeywords(
  transaction: Queryable,
  hash: NumberHash | undefined,
  messages: readonly KeywordMessage[],
): Promise<void> {
  if (hash === undefined) return;
  const inOrder = messages.filter(({ keyword }) => isObeyed(keyword)).toSorted(byAccount);
  for (const { accountId, source, keyword } of inOrder) {
    const e164 = parseRecipient(source);
    // Nothing can be sent to what is no number.
    if (e164 === undefined) continue;
    if (keyword === 'start') await takeOffList(transaction, hash, accountId, e164, 'recipient');
    else await putOnList(transaction, hash, accountId, e164, { source: 'recipient', reason: 'STOP' });
  }
}

/** Cancels what waits for the numbers that said STOP. What an interrupted call leaves, the reconciler cancels. */
export async function cancelForKeywords(database: Database, messages: readonly KeywordMessage[]): Promise<void> {
  for (const { accountId, source, keyword } of messages) {
    const e164 = parseRecipient(source);
    if (keyword === 'stop' && e164 !== undefined) await cancelOptedOut(database, accountId, e164);
  }
}

function isObeyed(keyword: InboundKeyword | undefined): boolean {
  return keyword === 'stop' || keyword === 'start';
}

function byAccount(one: KeywordMessage, other: KeywordMessage): number {
  return Number(BigInt(one.accountId) - BigInt(other.accountId));
}
