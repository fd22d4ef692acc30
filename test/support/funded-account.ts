import type { Micros } from '#billing';
import { bookDeposit, createAccount, type Database } from '#persistence';

const DEPOSIT: Micros = 1_000_000_000n;

export interface FundedAccount {
  readonly accountId: string;
  readonly apiKey: string;
}

/** One more account, with 1,000 EUR. */
export async function openFundedAccount(database: Database, name: string): Promise<FundedAccount> {
  const { account, apiKey } = await createAccount(database, { name, currency: 'EUR' });
  await bookDeposit(database, account.accountId, { amount: DEPOSIT, currency: 'EUR' });
  return { accountId: account.accountId, apiKey };
}
