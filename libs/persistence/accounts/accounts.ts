import { isCurrencyCode, lineForm, type Micros } from '#billing';
import { SENDER_FORM, SENDER_WORDS } from '#config/light';
import { announceChange } from '../database/changes.js';
import type { Database, Queryable } from '../database/database.js';
import { isUniqueViolation } from '../database/database-errors.js';
import { OperatorError } from '../operators/operator-error.js';
import { findDefaultTariff, findTariff } from '../tariffs/tariffs.js';
import { createApiKey } from './api-keys.js';

/** `suspended`: requests are refused until the account is resumed; `closed`: for good. */
type AccountStatus = 'active' | 'suspended' | 'closed';

/** An account with its money, as an operator sees it. */
export interface AccountOverview {
  readonly accountId: string;
  readonly name: string;
  readonly currency: string;
  readonly tariff: string;
  readonly status: AccountStatus;
  /** The account is suspended, and its queued messages wait until it is resumed. */
  readonly isHoldingQueued: boolean;
  /** Messages a second; undefined if there is no limit. */
  readonly rateLimitPerSecond: number | undefined;
  /** The sender that handsets show; undefined: the carrier's sender, or the service's. */
  readonly sender: string | undefined;
  /** The senders that its messages may ask for, beside its own. */
  readonly allowedSenders: readonly string[];
  /** Messages that it may have in flight at a time; undefined: the workers' setting decides. */
  readonly maxInFlight: number | undefined;
  /** Below it, webhooks that ask for `balance.low` are told; undefined: they are not. */
  readonly balanceAlert: Micros | undefined;
  readonly creditLimit: Micros;
  readonly deposited: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
  /** Messages accepted so far. */
  readonly messageCount: bigint;
  readonly createdAt: Date;
}

export interface NewAccount {
  readonly name: string;
  readonly currency: string;
  readonly creditLimit?: Micros;
  /** A tariff in the account's currency; without it, the default of that currency. */
  readonly tariff?: string;
  readonly rateLimitPerSecond?: number;
  readonly sender?: string;
}

interface AccountRow {
  account_id: string;
  name: string;
  currency: string;
  tariff: string;
  status: AccountStatus;
  holds_queued: boolean;
  rate_limit_per_second: number | null;
  sender: string | null;
  max_in_flight: number | null;
  allowed_senders: string[];
  balance_alert: string | null;
  credit_limit: string;
  deposited: string;
  reserved: string;
  captured: string;
  last_sequence: string;
  created_at: Date;
}

const ACCOUNT_NAME_LENGTH_MAX = 100;
const NAME = lineForm(1, ACCOUNT_NAME_LENGTH_MAX);
const RATE_LIMIT_PER_SECOND_MAX = 1_000_000;
const MAX_IN_FLIGHT_MAX = 1_000_000;

const OVERVIEW = `
  select a.account_id, a.name, a.currency, t.name as tariff, a.status, a.rate_limit_per_second, a.sender, a.max_in_flight,
         a.allowed_senders, a.balance_alert,
         b.credit_limit, b.deposited, b.reserved, b.captured, b.last_sequence, a.created_at,
         exists (select from held_account h where h.account_id = a.account_id) as holds_queued
    from account a join account_balance b using (account_id) join tariff t using (tariff_id)`;
/** As balance.low tells owners (write_balance_low); the credit limit is no money. */
const IS_LOW = "a.status = 'active' and a.balance_alert > b.deposited - b.reserved - b.captured";

/**
 * Opens an account with an empty balance and its first key. The key's text exists only in the answer.
 *
 * @throws OperatorError when a value is not valid or there is no tariff for the currency
 */
export async function createAccount(
  database: Database,
  wanted: NewAccount,
): Promise<{ readonly account: AccountOverview; readonly keyId: string; readonly apiKey: string }> {
  const name = checkedName(wanted.name);
  const creditLimit = checkedCreditLimit(wanted.creditLimit ?? 0n);
  const rateLimit = checkedRateLimit(wanted.rateLimitPerSecond);
  const sender = checkedSender(wanted.sender);
  if (!isCurrencyCode(wanted.currency)) throw new OperatorError(`"${wanted.currency}" is not a currency code like EUR`);

  return database.transaction(async (transaction) => {
    const tariffId = await tariffFor(transaction, wanted);
    const [row] = await withUniqueName(() =>
      transaction.query<{ account_id: string }>(
        `insert into account (name, currency, tariff_id, rate_limit_per_second, sender) values ($1, $2, $3, $4, $5)
         returning account_id`,
        [name, wanted.currency, tariffId, rateLimit ?? null, sender ?? null],
      ),
    );
    const accountId = row?.account_id ?? '';
    await transaction.query('insert into account_balance (account_id, credit_limit) values ($1, $2)', [
      accountId,
      creditLimit,
    ]);
    await transaction.query(
      'insert into credit_limit_change (account_id, after_entry, credit_limit) values ($1, 0, $2)',
      [accountId, creditLimit],
    );
    const key = await createApiKey(transaction, accountId);
    await announceChange(transaction, 'accounts');
    return { account: await findAccount(transaction, accountId), ...key };
  });
}

/** Which accounts; all if it is empty. */
interface AccountSelection {
  /** A part of the name in either case, or the beginning of the id. */
  readonly search?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** Only active accounts whose balance is below their balance alert. */
  readonly isLow?: boolean | undefined;
  /** Only those with a higher id. */
  readonly after?: string | undefined;
}

/** Accounts, oldest first, without the sandboxes. */
export async function listAccounts(
  database: Queryable,
  { search, status, isLow = false, after }: AccountSelection = {},
  limit?: number,
): Promise<AccountOverview[]> {
  const rows = await database.query<AccountRow>(
    `${OVERVIEW}
      where a.account_id > greatest(0, $1::bigint) and ($2::text is null or a.status = $2::text)
        and ($3::text is null or strpos(lower(a.name), lower($3)) > 0 or starts_with(a.account_id::text, $3))
        and (not $4::boolean or ${IS_LOW})
      order by a.account_id limit $5`,
    [after ?? '0', status ?? null, search ?? null, isLow, limit ?? null],
  );
  return rows.map(overviewOf);
}

/** How many accounts have a balance below their balance alert, by currency; without the sandboxes. */
export function countLowAccounts(
  database: Queryable,
): Promise<{ readonly currency: string; readonly accounts: number }[]> {
  return database.query(
    `select a.currency, count(*) filter (where ${IS_LOW})::integer as accounts
       from account a join account_balance b using (account_id)
      where a.account_id > 0 and a.balance_alert is not null group by a.currency order by a.currency`,
  );
}

/** @throws OperatorError when there is no such account */
export async function findAccount(database: Queryable, accountId: string): Promise<AccountOverview> {
  const [row] = isAccountId(accountId)
    ? await database.query<AccountRow>(`${OVERVIEW} where a.account_id = $1`, [accountId])
    : [];
  if (row === undefined) throw unknownAccount(accountId);
  return overviewOf(row);
}

/** An id that names no account fails here, before a statement fails on it. */
export function isAccountId(text: string): boolean {
  return /^[1-9][0-9]{0,17}$/.test(text);
}

export function unknownAccount(accountId: string): OperatorError {
  return new OperatorError(`there is no account ${accountId}`, 'missing');
}

/**
 * A name without the spaces around it.
 *
 * @throws OperatorError when it is empty, too long or not printable
 */
export function checkedName(text: string): string {
  const name = text.trim();
  if (!NAME.test(name)) {
    throw new OperatorError(`the name of an account has 1 to ${ACCOUNT_NAME_LENGTH_MAX} printable characters`);
  }
  return name;
}

/** @throws OperatorError when another account that is not closed has the name that `write` gives */
export async function withUniqueName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error, 'account_name')) throw new OperatorError('another account has this name');
    throw error;
  }
}

/** @throws OperatorError when it is below 0 */
export function checkedCreditLimit(creditLimit: Micros): Micros {
  if (creditLimit < 0n) throw new OperatorError('a credit limit is 0 or above');
  return creditLimit;
}

/** @throws OperatorError when it is below 0 */
export function checkedBalanceAlert(balanceAlert: Micros | undefined): Micros | undefined {
  if (balanceAlert !== undefined && balanceAlert < 0n) throw new OperatorError('a balance alert is 0 or above');
  return balanceAlert;
}

/** @throws OperatorError when it is not a whole number from 1 */
export function checkedRateLimit(perSecond: number | undefined): number | undefined {
  if (perSecond === undefined) return undefined;
  if (!Number.isInteger(perSecond) || perSecond < 1 || perSecond > RATE_LIMIT_PER_SECOND_MAX) {
    throw new OperatorError(`a rate limit is 1 to ${RATE_LIMIT_PER_SECOND_MAX} messages a second`);
  }
  return perSecond;
}

/** @throws OperatorError when it is not a whole number from 1 */
export function checkedMaxInFlight(messages: number | undefined): number | undefined {
  if (messages === undefined) return undefined;
  if (!Number.isInteger(messages) || messages < 1 || messages > MAX_IN_FLIGHT_MAX) {
    throw new OperatorError(`an account may have 1 to ${MAX_IN_FLIGHT_MAX} messages in flight`);
  }
  return messages;
}

/** @throws OperatorError when no handset could show it */
export function checkedSender(sender: string | undefined): string | undefined {
  if (sender === undefined || SENDER_FORM.test(sender)) return sender;
  throw new OperatorError(`a sender is ${SENDER_WORDS}`);
}

const ALLOWED_SENDERS_MAX = 100;

/** @throws OperatorError when one of them could not be shown, or they are too many */
export function checkedSenders(senders: readonly string[]): string[] {
  const different = [...new Set(senders)];
  if (different.length > ALLOWED_SENDERS_MAX) {
    throw new OperatorError(`an account has at most ${ALLOWED_SENDERS_MAX} allowed senders`);
  }
  for (const sender of different) checkedSender(sender);
  return different;
}

async function tariffFor(transaction: Queryable, wanted: NewAccount): Promise<string> {
  if (wanted.tariff === undefined) return (await findDefaultTariff(transaction, wanted.currency)).tariffId;
  const tariff = await findTariff(transaction, wanted.tariff);
  if (tariff.currency !== wanted.currency) {
    throw new OperatorError(`the tariff ${tariff.name} is in ${tariff.currency}, not in ${wanted.currency}`);
  }
  return tariff.tariffId;
}

function overviewOf(row: AccountRow): AccountOverview {
  return {
    accountId: row.account_id,
    name: row.name,
    currency: row.currency,
    tariff: row.tariff,
    status: row.status,
    isHoldingQueued: row.holds_queued,
    rateLimitPerSecond: row.rate_limit_per_second ?? undefined,
    sender: row.sender ?? undefined,
    allowedSenders: row.allowed_senders,
    maxInFlight: row.max_in_flight ?? undefined,
    balanceAlert: row.balance_alert === null ? undefined : BigInt(row.balance_alert),
    creditLimit: BigInt(row.credit_limit),
    deposited: BigInt(row.deposited),
    reserved: BigInt(row.reserved),
    captured: BigInt(row.captured),
    messageCount: BigInt(row.last_sequence),
    createdAt: row.created_at,
  };
}
