import { Injectable } from '@nestjs/common';
import { creditRemaining, orderEnd, totalConsumed } from '#billing';
import {
  accountFigures,
  Database,
  type DepositItem,
  depositsPage,
  FreshReads,
  findOrders,
  type KeyHolder,
  type OrderItem,
} from '#persistence';
import { cursorText } from '../http/cursor.js';
import { shareJson } from '../http/exact-json.js';
import { effectivePage, type PageQuery, Pagination } from '../http/page.js';
import type { AccountSummary, Balance, Deposit, DepositList, MessageOrder, MessageOrderList } from './account.dto.js';
import type { MessagesQuery } from './messages-query.js';
import { SharedReads } from './shared-reads.js';

/**
 * USE CASE: the reports of an account, as of a moment after the request arrived. Lists and the summary may come from a
 * replica that shows everything that was durable at the request. The balance is one row and decides on money, so the
 * primary answers.
 */
@Injectable()
export class AccountReports {
  private readonly shared = new SharedReads();

  constructor(
    private readonly database: Database,
    private readonly reads: FreshReads,
  ) {}

  summary({ accountId }: KeyHolder): Promise<AccountSummary> {
    return this.shared.read(`summary ${accountId}`, async () => {
      const figures = await this.reads.read((database) => accountFigures(database, accountId));
      const consumed = totalConsumed(figures);
      return shareJson({
        currency: figures.currency,
        totalDeposits: figures.deposited,
        totalConsumed: consumed,
        creditRemaining: creditRemaining(figures),
        // The consumed amount is the sum of the amounts of orders; `smsctl ledger verify` recomputes it from the
        // orders.
        orderSummary: { messages: { count: Number(figures.orderCount), totalAmount: consumed } },
      });
    });
  }

  balance({ accountId }: KeyHolder): Promise<Balance> {
    return this.shared.read(`balance ${accountId}`, async () => {
      const figures = await accountFigures(this.database, accountId);
      return shareJson({ balance: creditRemaining(figures), currency: figures.currency });
    });
  }

  deposits({ accountId, currency }: KeyHolder, query: PageQuery): Promise<DepositList> {
    const { page, limit } = effectivePage(query);
    return this.shared.read(`deposits ${accountId} ${page} ${limit}`, async () => {
      const { items, total } = await this.reads.read((database) => depositsPage(database, accountId, page, limit));
      return shareJson({
        data: items.map((item) => deposit(item, currency)),
        pagination: Pagination.of(page, limit, total),
      });
    });
  }

  messages({ accountId, currency }: KeyHolder, query: MessagesQuery): Promise<MessageOrderList> {
    const { filters, filterText, place, wanted } = query;
    const { page, limit } = wanted;
    return this.shared.read(`messages ${accountId} ${JSON.stringify(wanted)} ${filterText}`, async () => {
      const found = await this.reads.read((database) => findOrders(database, accountId, wanted, filters));
      // Filtered messages are counted once, for the first page.
      const isCapped = found.total === undefined ? (place?.isCapped ?? false) : found.isCapped;
      const total = found.total ?? place?.total ?? 0;
      const following = { before: found.next ?? 0, page: page + 1, total, isCapped };
      const next = found.next === undefined ? null : cursorText(filterText, following);
      return shareJson({
        data: found.items.map((order) => messageOrder(order, currency)),
        pagination: { ...Pagination.of(page, limit, total), next, total_is_capped: isCapped },
      });
    });
  }
}

/** The contract's fields, then what was added to them. */
function deposit(item: DepositItem, accountCurrency: string): Deposit {
  return {
    amount: item.amount,
    currency: item.currency,
    created_at: item.createdAt,
    kind: item.kind,
    converted_amount: item.accountAmount,
    converted_currency: accountCurrency,
    reference: item.reference ?? null,
    reason: item.reason ?? null,
  };
}

/** The contract's fields, then what was added to them. */
function messageOrder(order: OrderItem, currency: string): MessageOrder {
  const { reason, carrierCode } = orderEnd(order.state, order.code);
  return {
    message_uuid: order.id,
    recipient: order.recipient,
    message: order.message,
    amount: order.amount,
    currency,
    external_status: order.state,
    created_at: order.createdAt,
    segments: order.segments,
    encoding: order.isExtended ? 'extended' : 'standard',
    reason: reason ?? null,
    carrier_code: carrierCode ?? null,
    sent_at: order.sentAt ?? null,
    final_at: order.finalAt ?? null,
    reference: order.reference ?? null,
    tag: order.tag ?? null,
  };
}
