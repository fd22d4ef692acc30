import { Injectable } from '@nestjs/common';
import { creditRemaining, totalConsumed } from '#billing';
import { accountFigures, Database, depositsPage, type KeyHolder, ordersPage } from '#persistence';
import { shareJson } from '../http/exact-json.js';
import { effectivePage, type PageQuery, Pagination } from '../http/page.js';
import type { AccountSummary, Balance, DepositList, MessageOrderList } from './account.dto.js';
import { SharedReads } from './shared-reads.js';

/** USE CASE: what an account can read of itself, as it is at a moment after the request came. */
@Injectable()
export class AccountReports {
  private readonly reads = new SharedReads();

  constructor(private readonly database: Database) {}

  summary({ accountId }: KeyHolder): Promise<AccountSummary> {
    return this.reads.read(`summary ${accountId}`, async () => {
      const figures = await accountFigures(this.database, accountId);
      const consumed = totalConsumed(figures);
      return shareJson({
        currency: figures.currency,
        totalDeposits: figures.deposited,
        totalConsumed: consumed,
        creditRemaining: creditRemaining(figures),
        // Amounts of orders and what is consumed are the same sum; `smsctl ledger verify` recomputes it from the orders.
        orderSummary: { messages: { count: Number(figures.orderCount), totalAmount: consumed } },
      });
    });
  }

  balance({ accountId }: KeyHolder): Promise<Balance> {
    return this.reads.read(`balance ${accountId}`, async () => {
      const figures = await accountFigures(this.database, accountId);
      return shareJson({ balance: creditRemaining(figures), currency: figures.currency });
    });
  }

  deposits({ accountId }: KeyHolder, query: PageQuery): Promise<DepositList> {
    const { page, limit } = effectivePage(query);
    return this.reads.read(`deposits ${accountId} ${page} ${limit}`, async () => {
      const { items, total } = await depositsPage(this.database, accountId, page, limit);
      return shareJson({
        data: items.map(({ amount, currency, createdAt }) => ({ amount, currency, created_at: createdAt })),
        pagination: Pagination.of(page, limit, total),
      });
    });
  }

  messages({ accountId, currency }: KeyHolder, query: PageQuery): Promise<MessageOrderList> {
    const { page, limit } = effectivePage(query);
    return this.reads.read(`messages ${accountId} ${page} ${limit}`, async () => {
      const { items, total } = await ordersPage(this.database, accountId, page, limit);
      return shareJson({
        data: items.map((order) => ({
          message_uuid: order.id,
          recipient: order.recipient,
          message: order.message,
          amount: order.amount,
          currency,
          external_status: order.state,
          created_at: order.createdAt,
        })),
        pagination: Pagination.of(page, limit, total),
      });
    });
  }
}
