import { Injectable } from '@nestjs/common';
import { Coalescer } from '#batching';
import { creditRemaining, totalConsumed } from '#billing';
import {
  type AccountFigures,
  accountFigures,
  accountUsage,
  Database,
  depositsPage,
  FreshReads,
  figuresOfAccounts,
  findOrders,
  journalPage,
  type KeyHolder,
  type Queryable,
} from '#persistence';
import { shareJson } from '../http/exact-json.js';
import { CursorPagination, type DepositsQuery, type LedgerQuery, wantedPage } from '../http/page.js';
import { testMark } from '../http/test-mark.js';
import type { AccountSummary, Balance, DepositList, LedgerList, MessageOrderList, Usage } from './account.dto.js';
import { depositItem, ledgerItem, messageItem } from './list-items.js';
import type { MessagesQuery } from './messages-query.js';
import { ReadTurns } from './read-turns.js';
import { SharedReads } from './shared-reads.js';
import type { UsageQuery } from './usage-query.js';

const TOGETHER = { itemsMax: 500, pendingMax: 5_000, waitMaxMs: 10_000 };

/**
 * USE CASE: the reports of an account, as of a moment after the request arrived. Lists and the summary may come from a
 * replica that shows everything that was durable at the request. The balance is one row and decides on money, so the
 * primary answers.
 */
@Injectable()
export class AccountReports {
  private readonly shared = new SharedReads();
  /** Summaries that are asked for together share one query, of however many accounts: open consoles ask for them. */
  private readonly figures: Coalescer<string, AccountFigures | undefined>;

  constructor(
    private readonly database: Database,
    private readonly reads: FreshReads,
    private readonly turns: ReadTurns,
  ) {
    this.figures = new Coalescer(
      (ids) => this.reads.read((database) => figuresOfAccounts(database, ids), ids.length),
      TOGETHER,
    );
  }

  async summary(account: KeyHolder): Promise<AccountSummary> {
    const figures = await this.figures.add(account.accountId);
    if (figures === undefined) throw new Error(`account ${account.accountId} has no balance row`);
    const consumed = totalConsumed(figures);
    return {
      currency: figures.currency,
      totalDeposits: figures.deposited,
      totalConsumed: consumed,
      creditRemaining: creditRemaining(figures),
      // The consumed amount is the sum of the amounts of orders; `smsctl ledger verify` recomputes it from the orders.
      orderSummary: { messages: { count: Number(figures.orderCount), totalAmount: consumed } },
      test: testMark(account),
    };
  }

  balance(account: KeyHolder): Promise<Balance> {
    const { accountId } = account;
    return this.shared.read(`balance ${accountId}`, async () => {
      const figures = await accountFigures(this.database, accountId);
      return shareJson({
        balance: creditRemaining(figures),
        currency: figures.currency,
        test: testMark(account),
      });
    });
  }

  deposits({ accountId, currency }: KeyHolder, query: DepositsQuery): Promise<DepositList> {
    const wanted = wantedPage(query);
    return this.shared.read(`deposits ${accountId} ${JSON.stringify(wanted)}`, async () => {
      const found = await this.read(accountId, (database) => depositsPage(database, accountId, wanted));
      return shareJson({
        data: found.items.map((item) => depositItem(item, currency)),
        pagination: CursorPagination.after(wanted, found, query.filterText),
      });
    });
  }

  ledger({ accountId, currency }: KeyHolder, query: LedgerQuery): Promise<LedgerList> {
    const wanted = wantedPage(query);
    return this.shared.read(`ledger ${accountId} ${JSON.stringify(wanted)}`, async () => {
      const found = await this.read(accountId, (database) => journalPage(database, accountId, wanted));
      return shareJson({
        data: found.items.map((item) => ledgerItem(item, currency)),
        pagination: CursorPagination.after(wanted, found, query.filterText),
      });
    });
  }

  usage({ accountId, currency }: KeyHolder, { from, to }: UsageQuery): Promise<Usage> {
    return this.shared.read(`usage ${accountId} ${from} ${to}`, async () => {
      const { lines, countedUntil } = await this.read(accountId, (database) =>
        accountUsage(database, accountId, from, to),
      );
      return shareJson({
        from,
        to,
        counted_until: countedUntil ?? null,
        data: lines.map(({ state, amount, ...line }) => ({ ...line, status: state, amount, currency })),
      });
    });
  }

  messages(account: KeyHolder, query: MessagesQuery): Promise<MessageOrderList> {
    const { accountId, currency } = account;
    const { filters, filterText, place } = query;
    const wanted = wantedPage(query);
    return this.shared.read(`messages ${accountId} ${JSON.stringify(wanted)} ${filterText}`, async () => {
      const found = await this.read(accountId, (database) => findOrders(database, accountId, wanted, filters));
      // Filtered messages are counted once, for the first page.
      const counted = found.total === undefined ? place : found;
      const { total = 0, isCapped = false } = counted ?? {};
      return shareJson({
        data: found.items.map((order) => messageItem(order, currency, testMark(account))),
        pagination: CursorPagination.after(wanted, { total, isCapped, next: found.next }, filterText),
      });
    });
  }

  /** Reads when the account comes next. */
  private read<Result>(accountId: string, work: (database: Queryable) => Promise<Result>): Promise<Result> {
    return this.turns.run(accountId, () => this.reads.read(work));
  }
}
