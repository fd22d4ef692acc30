import { Injectable } from '@nestjs/common';
import { type StatementFormat, statementFile } from '#operations';
import {
  FreshReads,
  type KeyHolder,
  type MonthlyStatement,
  monthlyStatement,
  OperatorError,
  openMonths,
} from '#persistence';
import { shareJson } from '../http/exact-json.js';
import { Problem } from '../http/problem.js';
import { testMark } from '../http/test-mark.js';
import { ReadTurns } from './read-turns.js';
import { SharedReads } from './shared-reads.js';
import type { Statement, StatementMonths } from './statement.dto.js';

/** USE CASE: the statements of an account, by month. */
@Injectable()
export class AccountStatements {
  private readonly shared = new SharedReads();

  constructor(
    private readonly reads: FreshReads,
    private readonly turns: ReadTurns,
  ) {}

  async months({ accountId }: KeyHolder): Promise<StatementMonths> {
    const months = await this.reads.read((database) => openMonths(database, accountId));
    return { data: months.map(({ month, isFinal }) => ({ month, is_final: isFinal })) };
  }

  statement(account: KeyHolder, month: string): Promise<Statement> {
    return this.shared.read(`statement ${account.accountId} ${month}`, async () => {
      const made = await this.made(account, month);
      return shareJson({
        month,
        currency: made.currency,
        from: made.from,
        to: made.to,
        is_final: made.isFinal,
        opening_balance: made.opening,
        deposits: made.deposits.map(({ at, amount, currency, fxRate, booked, reference }) => ({
          created_at: at,
          amount,
          currency,
          fx_rate: fxRate,
          booked_amount: booked,
          reference,
        })),
        adjustments: made.adjustments.map(({ at, amount, reason }) => ({ created_at: at, amount, reason })),
        charges: made.charges.map(({ unitPrice, ...charge }) => ({ ...charge, unit_price: unitPrice })),
        refunds: [...made.refunds],
        not_itemised: made.notItemised,
        totals: made.totals,
        closing_balance: made.closing,
        test: testMark(account),
      });
    });
  }

  /** As a file, with its name and its type. */
  async file(account: KeyHolder, month: string, format: StatementFormat): Promise<ReturnType<typeof statementFile>> {
    return statementFile(await this.made(account, month), format);
  }

  private async made({ accountId }: KeyHolder, month: string): Promise<MonthlyStatement> {
    try {
      const read = () => this.reads.read((database) => monthlyStatement(database, accountId, month));
      return await this.turns.run(accountId, read);
    } catch (error) {
      if (error instanceof OperatorError) throw new Problem('not_found', `There is no statement of ${month}.`);
      throw error;
    }
  }
}
