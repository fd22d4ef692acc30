import { Injectable } from '@nestjs/common';
import {
  Database,
  FreshReads,
  findBalanceAlert,
  type KeyHolder,
  KeyRefused,
  OperatorError,
  setBalanceAlert,
} from '#persistence';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { accountOf, managerOf } from '../http/current-account.js';
import { Problem } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import { unauthorized } from '../http/unauthorized.js';
import { balanceOf } from '../sandbox/sandbox.dto.js';
import type { BalanceAlert, BalanceAlertRequest } from './balance-alert.dto.js';

/** Changes of the alert of an account at this gateway. */
const CHANGES = { perSecond: 1, burst: 20, ownersMax: 10_000 };

/** USE CASE: a client chooses below which balance it is told by the event `balance.low`. */
@Injectable()
export class ManageBalanceAlert {
  private readonly changes = new TokenBuckets(CHANGES);

  constructor(
    private readonly database: Database,
    private readonly reads: FreshReads,
  ) {}

  async show({ accountId, currency }: KeyHolder): Promise<BalanceAlert> {
    const threshold = await this.reads.read((database) => findBalanceAlert(database, accountId));
    return { threshold: threshold ?? null, currency };
  }

  /** @throws Problem when too many changes were made, or the key or the account has ended meanwhile */
  async set(request: AuthenticatedRequest, { threshold }: BalanceAlertRequest): Promise<BalanceAlert> {
    const { currency } = accountOf(request);
    const manager = managerOf(request);
    const waitMs = this.changes.take(manager.accountId);
    if (waitMs > 0) {
      throw rateLimited('This account has set its balance alert too often.', 'balance-alert', CHANGES, waitMs);
    }
    const wanted = balanceOf(threshold);
    try {
      await setBalanceAlert(this.database, wanted, manager);
    } catch (error) {
      if (error instanceof KeyRefused) throw unauthorized('The API key is not valid.');
      // The account was closed meanwhile.
      if (error instanceof OperatorError) throw new Problem('invalid_request', `Not possible: ${error.message}.`);
      throw error;
    }
    return { threshold: wanted ?? null, currency };
  }
}
