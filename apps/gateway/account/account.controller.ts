import { Controller, Get, HttpStatus, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { CurrentAccount } from '../http/current-account.js';
import { PageQuery } from '../http/page.js';
import { ApiAnswers } from '../openapi/answers.js';
import { AccountSummary, Balance, DepositList, MessageOrderList } from './account.dto.js';
import { AccountReports } from './account-reports.js';

@ApiTags('account')
@Controller('v1/account')
export class AccountController {
  constructor(private readonly reports: AccountReports) {}

  @Get()
  @ApiAnswers({ summary: 'Financial summary', status: HttpStatus.OK, type: AccountSummary, kind: 'read' })
  summary(@CurrentAccount() account: KeyHolder): Promise<AccountSummary> {
    return this.reports.summary(account);
  }

  @Get('balance')
  @ApiAnswers({ summary: 'Current balance', status: HttpStatus.OK, type: Balance, kind: 'read' })
  balance(@CurrentAccount() account: KeyHolder): Promise<Balance> {
    return this.reports.balance(account);
  }

  @Get('deposits')
  @ApiAnswers({ summary: 'Deposits, newest first', status: HttpStatus.OK, type: DepositList, kind: 'list' })
  deposits(@CurrentAccount() account: KeyHolder, @Query() query: PageQuery): Promise<DepositList> {
    return this.reports.deposits(account, query);
  }

  @Get('messages')
  @ApiAnswers({ summary: 'Message orders, newest first', status: HttpStatus.OK, type: MessageOrderList, kind: 'list' })
  messages(@CurrentAccount() account: KeyHolder, @Query() query: PageQuery): Promise<MessageOrderList> {
    return this.reports.messages(account, query);
  }
}
