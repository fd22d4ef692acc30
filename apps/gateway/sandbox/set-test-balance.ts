import { Injectable } from '@nestjs/common';
import { Database, type KeyHolder, OperatorError, setSandboxBalance } from '#persistence';
import type { Balance } from '../account/account.dto.js';
import { AccountReports } from '../account/account-reports.js';
import { Problem } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import { balanceOf, type TestBalanceRequest } from './sandbox.dto.js';

/** Changes of the test balance of an account at this gateway: each is an entry in the journal of the sandbox. */
const CHANGES = { perSecond: 1, burst: 20, ownersMax: 10_000 };

/** USE CASE: a client sets what its test keys have to spend, e.g. to see how it handles an empty balance. */
@Injectable()
export class SetTestBalance {
  private readonly changes = new TokenBuckets(CHANGES);

  constructor(
    private readonly database: Database,
    private readonly reports: AccountReports,
  ) {}

  /** @throws Problem when the key is not a test key, too many changes were made, or the account was closed meanwhile */
  async set(account: KeyHolder, { balance }: TestBalanceRequest): Promise<Balance> {
    if (!account.isTest) throw new Problem('test_key_required', 'Only test keys have a balance that can be set.');
    const waitMs = this.changes.take(account.accountId);
    if (waitMs > 0) {
      throw rateLimited('This account has set its test balance too often.', 'test-balance', CHANGES, waitMs);
    }
    try {
      await setSandboxBalance(this.database, account.accountId, balanceOf(balance) ?? 0n);
    } catch (error) {
      // Meanwhile: its key was good when the request came.
      if (error instanceof OperatorError) throw new Problem('account_closed', 'This account is closed.');
      throw error;
    }
    return this.reports.balance(account);
  }
}
