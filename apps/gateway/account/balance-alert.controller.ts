import { Body, Controller, HttpStatus, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { NoQuery } from '../http/page.js';
import { ApiAnswers } from '../openapi/answers.js';
import { BalanceAlert, BalanceAlertRequest } from './balance-alert.dto.js';
import { SetBalanceAlert } from './set-balance-alert.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account/balance-alert')
export class BalanceAlertController {
  constructor(private readonly alert: SetBalanceAlert) {}

  @Post()
  @ApiAnswers({
    summary: 'Choose when the balance is low',
    description:
      'Webhooks that ask for `balance.low` are told each time that accepted messages take the balance below `threshold`. ' +
      'See [Webhooks](webhooks#low-balance).',
    status: HttpStatus.OK,
    success: 'The threshold from now on.',
    type: BalanceAlert,
    kind: 'balanceAlert',
  })
  setBalanceAlert(
    @Req() request: AuthenticatedRequest,
    @Body() body: BalanceAlertRequest,
    @Query() _query: NoQuery,
  ): Promise<BalanceAlert> {
    return this.alert.set(request, body);
  }
}
