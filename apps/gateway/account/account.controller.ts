import { Controller, Get, HttpStatus, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { DepositsQuery, LedgerQuery, NoQuery } from '../http/page.js';
import { ApiAnswers } from '../openapi/answers.js';
import { AccountSummary, Balance, DepositList, LedgerList, MessageOrderList, Usage } from './account.dto.js';
import { AccountReports } from './account-reports.js';
import { MessagesQuery } from './messages-query.js';
import { UsageQuery } from './usage-query.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account')
export class AccountController {
  constructor(private readonly reports: AccountReports) {}

  @Get()
  @ApiAnswers({
    summary: 'Financial summary',
    description:
      'All figures are of one moment: `totalConsumed` = `totalDeposits` - `creditRemaining` = the sum of all message amounts.',
    status: HttpStatus.OK,
    success: 'The figures of the account.',
    type: AccountSummary,
    kind: 'read',
  })
  summary(@CurrentAccount() account: KeyHolder, @Query() _query: NoQuery): Promise<AccountSummary> {
    return this.reports.summary(account);
  }

  @Get('balance')
  @ApiAnswers({
    summary: 'Current balance',
    description: 'What remains to be spent, in the account currency.',
    status: HttpStatus.OK,
    success: 'The balance; it can be negative.',
    type: Balance,
    kind: 'read',
  })
  balance(@CurrentAccount() account: KeyHolder, @Query() _query: NoQuery): Promise<Balance> {
    return this.reports.balance(account);
  }

  @Get('deposits')
  @ApiAnswers({
    summary: 'Deposits, newest first',
    description: 'Each in the currency it was paid in. Corrections by the operator are listed as well.',
    status: HttpStatus.OK,
    success: 'One page of deposits; past the last page `data` is empty.',
    type: DepositList,
    kind: 'list',
  })
  deposits(@CurrentAccount() account: KeyHolder, @Query() query: DepositsQuery): Promise<DepositList> {
    return this.reports.deposits(account, query);
  }

  @Get('ledger')
  @ApiAnswers({
    summary: 'Every movement of money, newest first',
    description:
      'The entries by which the balance came about: each leaves the balance of the one before it plus its ' +
      '`balance_change`. Messages that were accepted, taken or given back together share an entry.',
    status: HttpStatus.OK,
    success: 'One page of entries; past the last page `data` is empty.',
    type: LedgerList,
    kind: 'list',
  })
  ledger(@CurrentAccount() account: KeyHolder, @Query() query: LedgerQuery): Promise<LedgerList> {
    return this.reports.ledger(account, query);
  }

  @Get('messages')
  @ApiAnswers({
    summary: 'Message orders, newest first',
    description:
      'With what became of each: `external_status` changes as carriers report, and the amount of what never left becomes 0. ' +
      'Where messages are kept for a limited time, older ones are neither listed nor counted here; the totals of the account stay. ' +
      'Filters can be combined. Page by `page`, or by `cursor`, which no new message shifts. With filters other than `from` and `to`, ' +
      'pages by number reach the 1,000 newest messages that fit, and `cursor` all of them.',
    status: HttpStatus.OK,
    success: 'One page of message orders; past the last page `data` is empty.',
    type: MessageOrderList,
    kind: 'find',
  })
  messages(@CurrentAccount() account: KeyHolder, @Query() query: MessagesQuery): Promise<MessageOrderList> {
    return this.reports.messages(account, query);
  }

  @Get('usage')
  @ApiAnswers({
    summary: 'What was sent, by day, destination and status',
    description:
      'Sums of messages by the day of their acceptance: exact over all messages ever, also those that are no longer ' +
      'listed. A status that changes more than 10 minutes after acceptance is seen within two minutes.',
    status: HttpStatus.OK,
    success: 'The sums, newest day first.',
    type: Usage,
    kind: 'list',
  })
  usage(@CurrentAccount() account: KeyHolder, @Query() query: UsageQuery): Promise<Usage> {
    return this.reports.usage(account, query);
  }
}
