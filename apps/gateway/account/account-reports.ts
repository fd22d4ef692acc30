import { Injectable } from '@nestjs/common';
import { creditRemaining, totalConsumed } from '#billing';
import { accountFigures, Database, depositsPage, FreshReads, type KeyHolder, ordersPage } from '#persistence';
import { effectivePage, type PageQuery, Pagination } from '../http/page.js';
import type { AccountSummary, Balance, DepositList, MessageOrderList } from './account.dto.js';

/**
 * USE CASE: what an account can read of itself. Lists and the summary may come from a replica that shows all that was durable when
 * they were asked for. The balance is one row and decides on money: the primary answers.
 */
@Injectable()
export class AccountReports {
  constructor(
    private readonly database: Database,
    private readonly reads: FreshReads,
  ) {}

  async summary(account: KeyHolder): Promise<AccountSummary> {
    const figures = await this.reads.read((database) => accountFigures(database, account.accountId));
    const consumed = totalConsumed(figures);
    return {
      currency: figures.currency,
      totalDeposits: figures.deposited,
      totalConsumed: consumed,
      creditRemaining: creditRemaining(figures),
      // Amounts of orders and what is consumed are the same sum; `smsctl ledger verify` recomputes it from the orders.
      orderSummary: { messages: { count: Number(figures.orderCount), totalAmount: consumed } },
    };
  }

  async balance(account: KeyHolder): Promise<Balance> {
    const figures = await accountFigures(this.database, account.accountId);
    return { balance: creditRemaining(figures), currency: figures.currency };
  }

  async deposits(account: KeyHolder, query: PageQuery): Promise<DepositList> {
    const { page, limit } = effectivePage(query);
    const { items, total } = await this.reads.read((database) =>
      depositsPage(database, account.accountId, page, limit),
    );
    return {
      data: items.map(({ amount, currency, createdAt }) => ({ amount, currency, created_at: createdAt })),
      pagination: Pagination.of(page, limit, total),
    };
  }

  async messages(account: KeyHolder, query: PageQuery): Promise<MessageOrderList> {
    const { page, limit } = effectivePage(query);
    const { items, total } = await this.reads.read((database) => ordersPage(database, account.accountId, page, limit));
    return {
      data: items.map((order) => ({
        message_uuid: order.id,
        recipient: order.recipient,
        message: order.message,
        amount: order.amount,
        currency: account.currency,
        external_status: order.state,
        created_at: order.createdAt,
      })),
      pagination: Pagination.of(page, limit, total),
    };
  }
}
