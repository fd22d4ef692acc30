import { type OrderState, parseRecipient } from '#billing';
import {
  type Database,
  findMessage,
  isSandbox,
  type ListedMessage,
  listMessages,
  type MessageRecord,
  type NamedAccount,
  nameAccounts,
  OperatorError,
  ownerOf,
  recordOperatorAction,
} from '#persistence';
import { checkPeriod, momentOf, type Page, type Paging, pageBy } from './wire.js';

/** Without an account, the statement reads messages one by one until it has found enough. */
export const MESSAGE_LIST_TIMEOUT_MS = 30_000;

interface MessageAnswer extends Omit<ListedMessage, 'carrier' | 'carrierCode' | 'sentAt' | 'finalAt' | 'message'> {
  readonly carrier: string | null;
  readonly carrierCode: string | null;
  readonly sentAt: Date | null;
  readonly finalAt: Date | null;
  readonly test: boolean;
  /** Only if texts were asked for. */
  readonly message?: string | undefined;
}

export interface MessageSelection {
  readonly account?: string | undefined;
  readonly recipient?: string | undefined;
  readonly state?: OrderState | undefined;
  readonly carrier?: string | undefined;
  readonly reference?: string | undefined;
  readonly tag?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly test?: boolean | undefined;
  /** With the texts, which is recorded. */
  readonly texts?: boolean | undefined;
}

/**
 * @throws OperatorError when the recipient is no number, `since` is after `until`, or there is no such account or
 *   carrier
 */
export async function messageList(
  database: Database,
  {
    account,
    recipient,
    since,
    until,
    test = false,
    texts = false,
    limit,
    cursor,
    ...labels
  }: MessageSelection & Paging,
): Promise<Page<NamedAccount<MessageAnswer>>> {
  checkPeriod(since, until);
  const destination = recipient === undefined ? undefined : parseRecipient(recipient);
  if (recipient !== undefined && destination === undefined) {
    throw new OperatorError(`"${recipient}" is not a number that a message can go to`);
  }
  const selection = {
    ...labels,
    accountId: account,
    destination,
    isTest: test,
    since: momentOf(since),
    until: momentOf(until),
  };
  const page = await pageBy(
    { limit, cursor },
    (count, before) => listMessages(database, { ...selection, before, withText: texts }, count),
    ({ id }) => id,
    (message) => messageAnswer(message, texts),
  );
  if (texts && page.data.length > 0) {
    await recordTexts(database, account, `${page.data.length} messages`, page.data.map(({ id }) => id).slice(0, 20));
  }
  return { ...page, data: await nameAccounts(database, page.data) };
}

function messageAnswer({ message, ...one }: ListedMessage, withText: boolean): MessageAnswer {
  return {
    ...one,
    ...holderOf(one),
    carrier: one.carrier ?? null,
    carrierCode: one.carrierCode ?? null,
    sentAt: one.sentAt ?? null,
    finalAt: one.finalAt ?? null,
    ...(withText && { message }),
  };
}

/** All that is known of a message. */
export interface MessageDetails extends Omit<MessageRecord, 'sequence' | 'message'> {
  readonly test: boolean;
  readonly sequence: number;
  /** Only if it was asked for. */
  readonly message?: string | undefined;
}

/** @param wanted `text`: with the text, which is recorded, because it belongs to the recipient */
export async function messageShow(
  database: Database,
  { id, text = false }: { readonly id: string; readonly text?: boolean | undefined },
): Promise<NamedAccount<MessageDetails>> {
  const { message, ...record } = await findMessage(database, id, text);
  if (text) await recordTexts(database, ownerOf(record.accountId), record.id, undefined);
  const details: MessageDetails = {
    ...record,
    ...holderOf(record),
    sequence: Number(record.sequence),
    ...(text && { message }),
  };
  const [named] = await nameAccounts(database, [details]);
  return named as NamedAccount<MessageDetails>;
}

async function recordTexts(
  database: Database,
  accountId: string | undefined,
  subjectId: string,
  ids: readonly string[] | undefined,
): Promise<void> {
  const after = ids === undefined ? { text: 'shown' } : { texts: 'shown', first: ids };
  await recordOperatorAction(database, { subject: 'message', subjectId, accountId, action: 'read text', after });
}

/** A message of a test key belongs to the sandbox of its account. */
function holderOf({ accountId }: { readonly accountId: string }): { accountId: string; test: boolean } {
  return { accountId: ownerOf(accountId), test: isSandbox(accountId) };
}
