import { creditRemaining, formatMicros, totalConsumed } from '#billing';
import type { AccountOverview } from '#persistence';
import type { Answer } from './session.js';
import { facts, moment, table } from './text.js';

export function accountAnswer(account: AccountOverview): Answer {
  return { json: accountJson(account), text: accountFacts(account) };
}

export function accountsAnswer(accounts: readonly AccountOverview[]): Answer {
  return {
    json: accounts.map(accountJson),
    text: table(
      ['account', 'name', 'status', '>balance', '>credit limit', 'currency', '>messages', 'tariff'],
      accounts.map((account) => [
        account.accountId,
        account.name,
        account.status,
        formatMicros(creditRemaining(account)),
        formatMicros(account.creditLimit),
        account.currency,
        String(account.messageCount),
        account.tariff,
      ]),
      'No accounts.',
    ),
  };
}

export function accountJson(account: AccountOverview): Record<string, unknown> {
  return {
    accountId: account.accountId,
    name: account.name,
    status: account.status,
    holdsQueued: account.isHoldingQueued,
    currency: account.currency,
    tariff: account.tariff,
    creditLimit: formatMicros(account.creditLimit),
    rateLimitPerSecond: account.rateLimitPerSecond ?? null,
    sender: account.sender ?? null,
    allowedSenders: account.allowedSenders,
    maxInFlight: account.maxInFlight ?? null,
    balanceAlert: account.balanceAlert === undefined ? null : formatMicros(account.balanceAlert),
    totalDeposits: formatMicros(account.deposited),
    totalConsumed: formatMicros(totalConsumed(account)),
    reserved: formatMicros(account.reserved),
    captured: formatMicros(account.captured),
    creditRemaining: formatMicros(creditRemaining(account)),
    messages: Number(account.messageCount),
    createdAt: account.createdAt,
  };
}

export function accountFacts(account: AccountOverview): string {
  const { currency } = account;
  return facts([
    ['Account', account.accountId],
    ['Name', account.name],
    ['Status', account.isHoldingQueued ? `${account.status}, queued messages are held` : account.status],
    ['Tariff', account.tariff],
    ['Sender', account.sender ?? "the carrier's"],
    ['Allowed senders', account.allowedSenders.length === 0 ? 'none' : account.allowedSenders.join(', ')],
    ['Balance', `${formatMicros(creditRemaining(account))} ${currency}`],
    ['Credit limit', `${formatMicros(account.creditLimit)} ${currency}`],
    [
      'Balance alert',
      account.balanceAlert === undefined ? 'none' : `below ${formatMicros(account.balanceAlert)} ${currency}`,
    ],
    ['Deposits', `${formatMicros(account.deposited)} ${currency}`],
    [
      'Consumed',
      `${formatMicros(totalConsumed(account))} ${currency} (of it ${formatMicros(account.reserved)} for open messages)`,
    ],
    ['Messages', String(account.messageCount)],
    ['Rate limit', account.rateLimitPerSecond === undefined ? 'none' : `${account.rateLimitPerSecond} messages/s`],
    ['In flight', account.maxInFlight === undefined ? 'as set for the workers' : `at most ${account.maxInFlight}`],
    ['Opened', moment(account.createdAt)],
  ]);
}
