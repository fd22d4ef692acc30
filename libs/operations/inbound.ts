import { parseRecipient } from '#billing';
import {
  assignInbound,
  assignNumber,
  type Database,
  findAccount,
  type InboundKeyword,
  type InboundWord,
  type ListedInbound,
  listInbound,
  listNumbers,
  listWords,
  type NamedAccount,
  type NumberAssignment,
  nameAccounts,
  recordOperatorAction,
  releaseNumber,
  removeWord,
  setWord,
} from '#persistence';
import { type Page, type Paging, pageBy } from './wire.js';

/** A message from a handset. */
interface InboundAnswer {
  readonly inboundId: string;
  readonly receivedAt: Date;
  /** Null: it is nobody's. */
  readonly accountId: string | null;
  readonly unassigned: 'unknown' | 'ambiguous' | null;
  readonly carrier: string | null;
  readonly sender: string;
  readonly recipient: string;
  readonly keyword: InboundKeyword | null;
  readonly inReplyTo: string | null;
  readonly parts: number;
  readonly missingParts: number;
  /** Only if texts were asked for. */
  readonly message?: string | undefined;
}

export interface InboundWishes {
  readonly account?: string | undefined;
  readonly unassigned?: boolean | undefined;
  readonly carrier?: string | undefined;
  readonly sender?: string | undefined;
  readonly recipient?: string | undefined;
  /** With the texts, which is recorded. */
  readonly texts?: boolean | undefined;
}

/**
 * Messages from handsets, newest first.
 *
 * @throws OperatorError when there is no such account
 */
export async function inboundList(
  database: Database,
  { account, unassigned, carrier, sender, recipient, texts = false, limit, cursor }: InboundWishes & Paging,
): Promise<Page<NamedAccount<InboundAnswer>>> {
  if (account !== undefined) await findAccount(database, account);
  const selection = {
    accountId: account,
    isUnassigned: unassigned,
    carrier,
    source: sender === undefined ? undefined : (parseRecipient(sender) ?? sender),
    destination: recipient === undefined ? undefined : (parseRecipient(recipient) ?? recipient.toLowerCase()),
  };
  const page = await pageBy(
    { limit, cursor },
    (count, before) => listInbound(database, { ...selection, before, withTexts: texts }, count),
    ({ inboundId }) => inboundId,
    (message) => inboundAnswer(message, texts),
  );
  if (texts && page.data.length > 0) {
    await recordOperatorAction(database, {
      subject: 'inbound_message',
      subjectId: `${page.data.length} messages`,
      accountId: account,
      action: 'read text',
      after: { texts: 'shown', first: page.data.map(({ inboundId }) => inboundId).slice(0, 20) },
    });
  }
  return { ...page, data: await nameAccounts(database, page.data) };
}

/** Gives a message that is nobody's to an account. */
export async function inboundAssign(
  database: Database,
  { inboundId, accountId }: { readonly inboundId: string; readonly accountId: string },
): Promise<{ readonly inboundId: string; readonly accountId: string }> {
  await assignInbound(database, inboundId, accountId);
  return { inboundId, accountId };
}

/** @throws OperatorError when there is no such account */
export async function numberList(
  database: Database,
  { account }: { readonly account?: string | undefined },
): Promise<NamedAccount<NumberAssignment>[]> {
  if (account !== undefined) await findAccount(database, account);
  return nameAccounts(database, await listNumbers(database, account));
}

/** Messages to the number are in the inbox of the account from now on. */
export function numberAssign(
  database: Database,
  { number, accountId }: { readonly number: string; readonly accountId: string },
): Promise<NumberAssignment> {
  return assignNumber(database, number, accountId);
}

export function numberRelease(database: Database, { number }: { readonly number: string }): Promise<NumberAssignment> {
  return releaseNumber(database, number);
}

export function keywordList(database: Database): Promise<InboundWord[]> {
  return listWords(database);
}

export function keywordSet(database: Database, word: InboundWord): Promise<InboundWord> {
  return setWord(database, word);
}

export function keywordRemove(database: Database, { word }: { readonly word: string }): Promise<InboundWord> {
  return removeWord(database, word);
}

function inboundAnswer({ source, destination, message, ...one }: ListedInbound, withText: boolean): InboundAnswer {
  return {
    inboundId: one.inboundId,
    receivedAt: one.receivedAt,
    accountId: one.accountId ?? null,
    unassigned: one.unassigned ?? null,
    carrier: one.carrier ?? null,
    sender: source,
    recipient: destination,
    keyword: one.keyword ?? null,
    inReplyTo: one.inReplyTo ?? null,
    parts: one.parts,
    missingParts: one.missingParts,
    ...(withText && { message }),
  };
}
