import { parseRecipient } from '#billing';
import {
  type AccountRetention,
  type Database,
  OperatorError,
  type RedactedNumber,
  type RedactOutcome,
  type RetentionChange,
  readAccountRetention,
  readRetention,
  redactionBacklog,
  redactMessage,
  redactNumber,
  retentionProgress,
  setAccountRetention,
  setRetention,
} from '#persistence';

interface RetentionAnswer {
  /** Days after which the text of a final message is dropped; null: it is kept. */
  readonly textDays: number | null;
  readonly numberDays: number | null;
  readonly rowDays: number | null;
  readonly droppedTexts: number;
  readonly redactedNumbers: number;
  readonly droppedMessages: number;
  readonly lastDroppedAt: Date | null;
  /** Messages that are redacted as soon as they are final. */
  readonly waitingMessages: number;
  /** Requests to redact a number that are not done yet. */
  readonly openRequests: number;
}

export async function retentionShow(database: Database): Promise<RetentionAnswer> {
  const { textDays = null, numberDays = null, rowDays = null } = await readRetention(database);
  const progress = await retentionProgress(database);
  const { messages, requests } = await redactionBacklog(database);
  return {
    textDays,
    numberDays,
    rowDays,
    droppedTexts: Number(progress.droppedTexts),
    redactedNumbers: Number(progress.redactedNumbers),
    droppedMessages: Number(progress.droppedMessages),
    lastDroppedAt: progress.lastDroppedAt ?? null,
    waitingMessages: messages,
    openRequests: requests,
  };
}

/** Undefined changes nothing; null: for ever. */
export async function retentionSet(database: Database, wanted: RetentionChange): Promise<RetentionAnswer> {
  await setRetention(database, wanted);
  return retentionShow(database);
}

interface DaysAnswer {
  readonly textDays: number | null;
  readonly numberDays: number | null;
}

/** Null: for ever, or nothing is set. */
interface AccountRetentionAnswer extends DaysAnswer {
  /** What an operator has set for the account; 0: for ever, whatever holds for all. */
  readonly operators: DaysAnswer;
  readonly owners: DaysAnswer;
  readonly forAll: DaysAnswer;
}

/** @throws OperatorError when there is no such account */
export async function retentionShowAccount(
  database: Database,
  { accountId }: { readonly accountId: string },
): Promise<AccountRetentionAnswer> {
  return accountAnswer(await readAccountRetention(database, accountId));
}

/**
 * Undefined changes nothing; null: as for all accounts; 0: for ever.
 *
 * @throws OperatorError when there is no such account, or the days are out of range
 */
export async function retentionSetAccount(
  database: Database,
  { accountId, ...change }: { readonly accountId: string } & Pick<RetentionChange, 'textDays' | 'numberDays'>,
): Promise<AccountRetentionAnswer> {
  return accountAnswer(await setAccountRetention(database, accountId, change));
}

/** @throws OperatorError when there is no such message */
export async function redactMessageOf(
  database: Database,
  { id }: { readonly id: string },
): Promise<{ readonly outcome: RedactOutcome }> {
  const outcome = await redactMessage(database, undefined, id);
  if (outcome === undefined) throw new OperatorError(`there is no message ${id}`, 'missing');
  return { outcome };
}

/** @throws OperatorError when there is no such account, or it is no number */
export async function redactNumberOf(
  database: Database,
  { accountId, number }: { readonly accountId: string; readonly number: string },
): Promise<RedactedNumber> {
  const digits = parseRecipient(number);
  if (digits === undefined) {
    throw new OperatorError('the number is not an international phone number of 7 to 15 digits');
  }
  return redactNumber(database, accountId, digits, 'operator');
}

function accountAnswer({ operators, owners, forAll, ...days }: AccountRetention): AccountRetentionAnswer {
  return {
    ...daysAnswer(days),
    operators: daysAnswer(operators),
    owners: daysAnswer(owners),
    forAll: daysAnswer(forAll),
  };
}

function daysAnswer({ textDays, numberDays }: Omit<AccountRetention, 'operators' | 'owners' | 'forAll'>): DaysAnswer {
  return { textDays: textDays ?? null, numberDays: numberDays ?? null };
}
