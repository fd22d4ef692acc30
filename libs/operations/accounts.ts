import { creditRemaining, type Micros, totalConsumed } from '#billing';
import {
  type AccountOverview,
  changeAccount,
  closeAccount,
  createAccount,
  type Database,
  findAccount,
  listAccounts,
  resumeAccount,
  type Suspension,
  sandboxOf,
  setCreditLimit,
  setSandboxBalance,
  suspendAccount,
} from '#persistence';
import { microsOf, type Page, type Paging, pageBy } from './wire.js';

/** To count, hold or cancel queued messages, the statement reads every open message. */
export const OPEN_MESSAGES_TIMEOUT_MS = 120_000;

/** An account with its money. */
interface AccountAnswer {
  readonly accountId: string;
  readonly name: string;
  readonly status: AccountOverview['status'];
  readonly holdsQueued: boolean;
  readonly currency: string;
  readonly tariff: string;
  readonly creditLimit: Micros;
  readonly rateLimitPerSecond: number | null;
  readonly sender: string | null;
  readonly allowedSenders: readonly string[];
  readonly maxInFlight: number | null;
  readonly balanceAlert: Micros | null;
  readonly totalDeposits: Micros;
  readonly totalConsumed: Micros;
  readonly reserved: Micros;
  readonly captured: Micros;
  readonly creditRemaining: Micros;
  /** It is active, and its balance is below its balance alert. */
  readonly isLow: boolean;
  readonly messages: number;
  readonly createdAt: Date;
}

interface NewAccountAnswer extends AccountAnswer {
  readonly keyId: string;
  readonly apiKey: string;
}

interface SuspensionAnswer extends AccountAnswer {
  readonly queued: number;
  readonly sending: number;
  readonly refunded: number;
}

interface OfAccount {
  readonly accountId: string;
}

export function accountList(
  database: Database,
  {
    search,
    status,
    low,
    ...paging
  }: Paging & {
    readonly search?: string | undefined;
    readonly status?: AccountOverview['status'] | undefined;
    readonly low?: boolean | undefined;
  },
): Promise<Page<AccountAnswer>> {
  return pageBy(
    paging,
    (limit, after) => listAccounts(database, { search, status, isLow: low, after }, limit),
    ({ accountId }) => accountId,
    accountAnswer,
  );
}

export async function accountShow(database: Database, { accountId }: OfAccount): Promise<AccountAnswer> {
  return accountAnswer(await findAccount(database, accountId));
}

export async function accountCreate(
  database: Database,
  wanted: {
    readonly name: string;
    readonly currency: string;
    readonly creditLimit?: string | undefined;
    readonly tariff?: string | undefined;
    readonly rateLimitPerSecond?: number | undefined;
    readonly sender?: string | undefined;
  },
): Promise<NewAccountAnswer> {
  const { name, currency, creditLimit = '0', tariff, rateLimitPerSecond, sender } = wanted;
  const { account, keyId, apiKey } = await createAccount(database, {
    name,
    currency,
    creditLimit: microsOf(creditLimit),
    ...(tariff !== undefined && { tariff }),
    ...(rateLimitPerSecond !== undefined && { rateLimitPerSecond }),
    ...(sender !== undefined && { sender }),
  });
  return { ...accountAnswer(account), keyId, apiKey };
}

/** Undefined changes nothing, null removes the setting. */
export async function accountSet(
  database: Database,
  {
    accountId,
    balanceAlert,
    ...change
  }: OfAccount & {
    readonly name?: string | undefined;
    readonly tariff?: string | undefined;
    readonly sender?: string | null | undefined;
    readonly allowedSenders?: readonly string[] | undefined;
    readonly maxInFlight?: number | null | undefined;
    readonly balanceAlert?: string | null | undefined;
  },
): Promise<AccountAnswer> {
  const alert = typeof balanceAlert === 'string' ? microsOf(balanceAlert) : balanceAlert;
  return accountAnswer(await changeAccount(database, accountId, { ...change, balanceAlert: alert }));
}

/** Null: no limit. */
export async function accountSetRateLimit(
  database: Database,
  { accountId, rateLimitPerSecond }: OfAccount & { readonly rateLimitPerSecond: number | null },
): Promise<AccountAnswer> {
  return accountAnswer(await changeAccount(database, accountId, { rateLimitPerSecond }));
}

export async function accountSetCreditLimit(
  database: Database,
  { accountId, creditLimit }: OfAccount & { readonly creditLimit: string },
): Promise<AccountAnswer> {
  return accountAnswer(await setCreditLimit(database, accountId, microsOf(creditLimit)));
}

/** @param wanted `queued`: `send` (they still go out), `hold` until the account is resumed, or `refund` */
export async function accountSuspend(
  database: Database,
  { accountId, queued = 'send' }: OfAccount & { readonly queued?: 'send' | 'hold' | 'refund' | undefined },
): Promise<SuspensionAnswer> {
  return suspensionAnswer(await suspendAccount(database, accountId, queued === 'send' ? undefined : queued));
}

export async function accountResume(
  database: Database,
  { accountId }: OfAccount,
): Promise<AccountAnswer & { readonly released: number }> {
  const { account, released } = await resumeAccount(database, accountId);
  return { ...accountAnswer(account), released };
}

export async function accountClose(database: Database, { accountId }: OfAccount): Promise<AccountAnswer> {
  return accountAnswer(await closeAccount(database, accountId));
}

/** Sets what the test keys of an account may spend. */
export async function accountSetTestBalance(
  database: Database,
  { accountId, balance }: OfAccount & { readonly balance: string },
): Promise<{ readonly accountId: string; readonly balance: Micros; readonly currency: string }> {
  const { currency } = await findAccount(database, accountId);
  await setSandboxBalance(database, sandboxOf(accountId), microsOf(balance));
  return { accountId, balance: microsOf(balance), currency };
}

function suspensionAnswer({ account, queued, sending, refunded }: Suspension): SuspensionAnswer {
  return { ...accountAnswer(account), queued, sending, refunded };
}

export function accountAnswer(account: AccountOverview): AccountAnswer {
  return {
    accountId: account.accountId,
    name: account.name,
    status: account.status,
    holdsQueued: account.isHoldingQueued,
    currency: account.currency,
    tariff: account.tariff,
    creditLimit: account.creditLimit,
    rateLimitPerSecond: account.rateLimitPerSecond ?? null,
    sender: account.sender ?? null,
    allowedSenders: account.allowedSenders,
    maxInFlight: account.maxInFlight ?? null,
    balanceAlert: account.balanceAlert ?? null,
    totalDeposits: account.deposited,
    totalConsumed: totalConsumed(account),
    reserved: account.reserved,
    captured: account.captured,
    creditRemaining: creditRemaining(account),
    isLow:
      account.status === 'active' &&
      account.balanceAlert !== undefined &&
      creditRemaining(account) < account.balanceAlert,
    messages: Number(account.messageCount),
    createdAt: account.createdAt,
  };
}
