import { Injectable } from '@nestjs/common';
import { RANGE_DIGITS_DEFAULT } from '#billing';
import {
  Database,
  findAccountGuards,
  findSuppression,
  type KeyHolder,
  SecretUnreadable,
  type Suppression,
  suppress,
  suppressionsPage,
  unsuppress,
} from '#persistence';
import { ReadTurns } from '../account/read-turns.js';
import { type AuthenticatedRequest } from '../http/authenticate.js';
import { managerOf } from '../http/current-account.js';
import { effectivePage, Pagination } from '../http/page.js';
import { Problem } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import type {
  AccountGuardsShown,
  SuppressionAdded,
  SuppressionItem,
  SuppressionList,
  SuppressionPath,
  SuppressionQuery,
  SuppressionRemoved,
  SuppressionRequest,
} from './suppressions.dto.js';

/** Changes of the list of an account at this gateway: each locks its balance. */
const CHANGES = { perSecond: 20, burst: 200, ownersMax: 10_000 };

/** USE CASE: a client keeps the list of numbers to which it must send nothing, and sees its guards. */
@Injectable()
export class ManageSuppressions {
  private readonly changes = new TokenBuckets(CHANGES);

  constructor(
    private readonly database: Database,
    private readonly turns: ReadTurns,
  ) {}

  async list({ accountId }: KeyHolder, query: SuppressionQuery): Promise<SuppressionList> {
    const { page, limit } = effectivePage(query);
    const { destination } = query;
    if (destination === undefined) {
      const read = () => suppressionsPage(this.database, accountId, page, limit);
      const { items, total } = await this.turns.run(accountId, read);
      return { data: items.map(itemOf), pagination: Pagination.of(page, limit, total) };
    }
    const found = await readable(findSuppression(this.database, accountId, destination));
    const total = found === undefined ? 0 : 1;
    return {
      data: found === undefined || page > 1 ? [] : [itemOf(found)],
      pagination: Pagination.of(page, limit, total),
    };
  }

  async add(
    request: AuthenticatedRequest,
    { destination = '', reason }: SuppressionRequest,
  ): Promise<SuppressionAdded> {
    const { accountId, database } = this.changing(request);
    const { isNew, canceled } = await readable(
      suppress(database, accountId, destination, { source: 'client', reason }),
    );
    return { success: true, added: isNew, canceledMessages: canceled };
  }

  async remove(request: AuthenticatedRequest, { destination = '' }: SuppressionPath): Promise<SuppressionRemoved> {
    const { accountId, database } = this.changing(request);
    return { success: true, removed: await readable(unsuppress(database, accountId, destination, 'client')) };
  }

  async guards({ accountId, currency }: KeyHolder): Promise<AccountGuardsShown> {
    const { guards } = await findAccountGuards(this.database, accountId);
    return {
      countries: guards?.countries === undefined ? null : [...guards.countries],
      priceMax: guards?.priceMax ?? null,
      spendDayMax: guards?.spendDayMax ?? null,
      spendMonthMax: guards?.spendMonthMax ?? null,
      recipientHourMax: guards?.recipientHourMax ?? null,
      rangeHourMax: guards?.rangeHourMax ?? null,
      rangeDigits: guards?.rangeDigits ?? RANGE_DIGITS_DEFAULT,
      currency,
    };
  }

  /** @returns the database acting for the key */
  private changing(request: AuthenticatedRequest): { accountId: string; database: Database } {
    const { accountId, actor } = managerOf(request);
    const waitMs = this.changes.take(accountId);
    if (waitMs > 0) {
      throw rateLimited('This account changes its suppression list too often.', 'suppressions', CHANGES, waitMs);
    }
    return { accountId, database: this.database.actingAs(actor) };
  }
}

/** @throws Problem `suppressions_unavailable` when this process lacks the secrets key */
export async function readable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SecretUnreadable) {
      throw new Problem('suppressions_unavailable', 'The operator has to give this gateway the key of the lists.');
    }
    throw error;
  }
}

function itemOf({ id, source, reason, createdAt }: Suppression): SuppressionItem {
  return { id, source, reason: reason ?? null, created_at: createdAt };
}
