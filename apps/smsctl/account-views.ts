import type { AnswerOf } from './requests.js';
import { facts, moment, table } from './text.js';

type Account = AnswerOf<'account.show'>;

export function accountTable(accounts: readonly Account[]): string {
  return table(
    ['account', 'name', 'status', '>balance', 'low', '>credit limit', 'currency', '>messages', 'tariff'],
    accounts.map((account) => [
      account.accountId,
      account.name,
      account.status,
      account.creditRemaining,
      account.isLow ? 'yes' : '',
      account.creditLimit,
      account.currency,
      account.messages,
      account.tariff,
    ]),
    'No accounts.',
  );
}

export function accountFacts(account: Account): string {
  const { currency } = account;
  return facts([
    ['Account', account.accountId],
    ['Name', account.name],
    ['Status', account.holdsQueued ? `${account.status}, queued messages are held` : account.status],
    ['Tariff', account.tariff],
    ['Sender', account.sender ?? "the carrier's"],
    ['Allowed senders', account.allowedSenders.length === 0 ? 'none' : account.allowedSenders.join(', ')],
    ['Balance', `${account.creditRemaining} ${currency}`],
    ['Credit limit', `${account.creditLimit} ${currency}`],
    ['Balance alert', account.balanceAlert === null ? 'none' : `below ${account.balanceAlert} ${currency}`],
    ['Deposits', `${account.totalDeposits} ${currency}`],
    ['Consumed', `${account.totalConsumed} ${currency} (of it ${account.reserved} for open messages)`],
    ['Messages', account.messages],
    ['Rate limit', account.rateLimitPerSecond === null ? 'none' : `${account.rateLimitPerSecond} messages/s`],
    ['In flight', account.maxInFlight === null ? 'as set for the workers' : `at most ${account.maxInFlight}`],
    ['Opened', moment(account.createdAt)],
  ]);
}
