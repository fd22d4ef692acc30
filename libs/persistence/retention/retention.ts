import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { checkDays, ROW_DAYS_MIN, TEXT_DAYS_MIN } from './retention-days.js';

/** How long final messages are kept; undefined: for ever. */
export interface RetentionSettings {
  readonly textDays: number | undefined;
  readonly numberDays: number | undefined;
  readonly rowDays: number | undefined;
}

/** A change of them: undefined changes nothing, null keeps for ever. */
export interface RetentionChange {
  readonly textDays?: number | null | undefined;
  readonly numberDays?: number | null | undefined;
  readonly rowDays?: number | null | undefined;
}

/** What has been dropped so far, over all accounts. */
export interface RetentionProgress {
  readonly droppedTexts: bigint;
  readonly redactedNumbers: bigint;
  readonly droppedMessages: bigint;
  readonly lastDroppedAt: Date | undefined;
}

/** The result of one step of the scheduled job. */
interface RetainedSlice {
  /** The last account that it examined. Undefined: there are no further accounts, or retention is off. */
  readonly accountId: string | undefined;
  /** Another worker is doing it. */
  readonly isBusy: boolean;
  /** The account may have more. */
  readonly isFull: boolean;
  readonly texts: number;
  readonly numbers: number;
  readonly messages: number;
}

export async function readRetention(database: Queryable): Promise<RetentionSettings> {
  const [row] = await database.query<{ [Days in keyof RetentionSettings]: number | null }>(
    'select text_days as "textDays", number_days as "numberDays", row_days as "rowDays" from retention',
  );
  return {
    textDays: row?.textDays ?? undefined,
    numberDays: row?.numberDays ?? undefined,
    rowDays: row?.rowDays ?? undefined,
  };
}

export async function retentionProgress(database: Queryable): Promise<RetentionProgress> {
  const [row] = await database.query<Record<'texts' | 'numbers' | 'messages', string | null> & { at: Date | null }>(
    `select sum(greatest(last_text, last_sequence)) as texts, sum(greatest(last_number, last_sequence)) as numbers,
            sum(last_sequence) as messages,
            max(retired_at) filter (where greatest(last_text, last_number, last_sequence) > 0) as at
       from account_retired`,
  );
  return {
    droppedTexts: BigInt(row?.texts ?? 0),
    redactedNumbers: BigInt(row?.numbers ?? 0),
    droppedMessages: BigInt(row?.messages ?? 0),
    lastDroppedAt: row?.at ?? undefined,
  };
}

/**
 * Whether messages that were accepted at or after a moment, and before another one if it is given, were dropped, or may
 * have been by now.
 */
export async function mayBeDropped(database: Queryable, from: Date, to?: Date): Promise<boolean> {
  const [row] = await database.query<{ dropped: boolean }>(
    `select exists (select from retention where $1 < now() - make_interval(days => row_days))
            or exists (select from usage_retired u
                        where u.account_id > 0 and u.day >= ($1::timestamptz at time zone 'UTC')::date
                          and ($2::timestamptz is null or u.day < $2 at time zone 'UTC')) as dropped`,
    [from, to ?? null],
  );
  return row?.dropped ?? false;
}

/**
 * Sets how long texts, numbers and messages are kept. Workers follow within a minute.
 *
 * @throws OperatorError when a number of days is out of range, or texts or numbers would be kept longer than their
 *   messages
 */
export function setRetention(database: Database, wanted: RetentionChange): Promise<RetentionSettings> {
  return database.transaction(async (transaction) => {
    await transaction.query('insert into retention default values on conflict do nothing');
    await transaction.query('select from retention for update');
    const before = await readRetention(transaction);
    const textDays = changed(before.textDays, wanted.textDays);
    const numberDays = changed(before.numberDays, wanted.numberDays);
    const rowDays = changed(before.rowDays, wanted.rowDays);
    checkDays('texts', textDays, TEXT_DAYS_MIN);
    checkDays('numbers', numberDays, ROW_DAYS_MIN);
    checkDays('messages', rowDays, ROW_DAYS_MIN);
    for (const [what, days] of Object.entries({ text: textDays, number: numberDays })) {
      if (days !== undefined && rowDays !== undefined && days > rowDays) {
        throw new OperatorError(`a ${what} cannot be kept longer than its message`);
      }
    }
    await transaction.query('update retention set text_days = $1, number_days = $2, row_days = $3, set_at = now()', [
      textDays ?? null,
      numberDays ?? null,
      rowDays ?? null,
    ]);
    return { textDays, numberDays, rowDays };
  });
}

/**
 * Drops the next slice of old messages, of the first account after the given one that has some. After a full slice the
 * account may have more; otherwise continue after the returned account.
 */
export async function retainNextSlice(
  database: Queryable,
  afterAccountId: string,
  messagesMax: number,
): Promise<RetainedSlice> {
  const [row] = await database.query<{
    is_busy: boolean;
    is_full: boolean | null;
    account_id: string | null;
    texts: number | null;
    numbers: number | null;
    orders: number | null;
  }>('select * from retain_next($1, $2)', [afterAccountId, messagesMax]);
  return {
    accountId: row?.account_id ?? undefined,
    isBusy: row?.is_busy ?? false,
    isFull: row?.is_full ?? false,
    texts: row?.texts ?? 0,
    numbers: row?.numbers ?? 0,
    messages: row?.orders ?? 0,
  };
}

function changed(before: number | undefined, wanted: number | null | undefined): number | undefined {
  return wanted === undefined ? before : (wanted ?? undefined);
}
