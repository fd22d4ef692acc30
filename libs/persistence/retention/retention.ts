import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';

/** How long final messages are kept; undefined: for ever. */
export interface RetentionSettings {
  readonly textDays: number | undefined;
  readonly rowDays: number | undefined;
}

/** What has been dropped so far, over all accounts. */
export interface RetentionProgress {
  readonly droppedTexts: bigint;
  readonly droppedMessages: bigint;
  readonly lastDroppedAt: Date | undefined;
}

/** The result of one step of the scheduled job. */
interface RetainedSlice {
  /** The last account that it examined. Undefined: there are no further accounts, or retention is off. */
  readonly accountId: string | undefined;
  /** Another worker is doing it. */
  readonly isBusy: boolean;
  readonly texts: number;
  readonly messages: number;
}

const TEXT_DAYS_MIN = 1;
/** After this time receipts have come, sends have been repeated, and clients have read their lists. */
const ROW_DAYS_MIN = 7;
const RETENTION_DAYS_MAX = 36_500;

export async function readRetention(database: Queryable): Promise<RetentionSettings> {
  const [row] = await database.query<{ text_days: number | null; row_days: number | null }>(
    'select text_days, row_days from retention',
  );
  return { textDays: row?.text_days ?? undefined, rowDays: row?.row_days ?? undefined };
}

export async function retentionProgress(database: Queryable): Promise<RetentionProgress> {
  const [row] = await database.query<{ texts: string | null; messages: string | null; at: Date | null }>(
    `select sum(greatest(last_text, last_sequence)) as texts, sum(last_sequence) as messages,
            max(retired_at) filter (where last_text > 0 or last_sequence > 0) as at
       from account_retired`,
  );
  return {
    droppedTexts: BigInt(row?.texts ?? 0),
    droppedMessages: BigInt(row?.messages ?? 0),
    lastDroppedAt: row?.at ?? undefined,
  };
}

/**
 * Sets how long texts and messages are kept; `null` switches off, undefined changes nothing. Workers follow within a
 * minute.
 *
 * @throws OperatorError when a number of days is out of range, or texts would be kept longer than their messages
 */
export function setRetention(
  database: Database,
  wanted: { readonly textDays?: number | null | undefined; readonly rowDays?: number | null | undefined },
): Promise<RetentionSettings> {
  return database.transaction(async (transaction) => {
    await transaction.query('insert into retention default values on conflict do nothing');
    await transaction.query('select from retention for update');
    const before = await readRetention(transaction);
    const textDays = changed(before.textDays, wanted.textDays);
    const rowDays = changed(before.rowDays, wanted.rowDays);
    checkDays('texts', textDays, TEXT_DAYS_MIN);
    checkDays('messages', rowDays, ROW_DAYS_MIN);
    if (textDays !== undefined && rowDays !== undefined && textDays > rowDays) {
      throw new OperatorError('a text cannot be kept longer than its message');
    }
    await transaction.query('update retention set text_days = $1, row_days = $2, set_at = now()', [
      textDays ?? null,
      rowDays ?? null,
    ]);
    return { textDays, rowDays };
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
    account_id: string | null;
    texts: number | null;
    orders: number | null;
  }>('select * from retain_next_slice($1, $2)', [afterAccountId, messagesMax]);
  return {
    accountId: row?.account_id ?? undefined,
    isBusy: row?.is_busy ?? false,
    texts: row?.texts ?? 0,
    messages: row?.orders ?? 0,
  };
}

function changed(before: number | undefined, wanted: number | null | undefined): number | undefined {
  return wanted === undefined ? before : (wanted ?? undefined);
}

function checkDays(what: string, days: number | undefined, daysMin: number): void {
  if (days === undefined || (Number.isInteger(days) && days >= daysMin && days <= RETENTION_DAYS_MAX)) return;
  throw new OperatorError(`${what} are kept for ${daysMin} to ${RETENTION_DAYS_MAX} days`);
}
