import { Body, Controller, Get, HttpStatus, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { BalanceAlert, BalanceAlertRequest } from './balance-alert.dto.js';
import { ManageBalanceAlert } from './manage-balance-alert.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account/balance-alert')
export class BalanceAlertController {
  constructor(private readonly alert: ManageBalanceAlert) {}

  @Get()
  @ApiAnswers({
    summary: 'When the balance is low',
    description:
      'The threshold of `balance.low`, as it was set by `POST` or by the operator. See [Webhooks](webhooks#low-balance).',
    status: HttpStatus.OK,
    success: 'The threshold; null: there is none.',
    type: BalanceAlert,
    kind: 'read',
  })
  balanceAlert(@CurrentAccount() account: KeyHolder, @Query() _query: NoQuery): Promise<BalanceAlert> {
    return this.alert.show(account);
  }

  @Post()
  @ApiAnswers({
    summary: 'Choose when the balance is low',
    description:
      'Webhooks that ask for `balance.low` are told each time that accepted messages, or a correction by the operator, ' +
      'take the balance below `threshold`. See [Webhooks](webhooks#low-balance).',
    status: HttpStatus.OK,
    success: 'The threshold from now on.',
    type: BalanceAlert,
    kind: 'balanceAlert',
  })
  setBalanceAlert(
    @Req() request: AuthenticatedRequest,
    @Body() body: BalanceAlertRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<BalanceAlert> {
    return this.alert.set(request, withoutFaults(body, query));
  }
}
