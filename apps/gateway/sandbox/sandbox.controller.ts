import { Body, Controller, HttpStatus, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { Balance } from '../account/account.dto.js';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { TestBalanceRequest } from './sandbox.dto.js';
import { SetTestBalance } from './set-test-balance.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account/test-balance')
export class SandboxController {
  constructor(private readonly testBalance: SetTestBalance) {}

  @Post()
  @ApiAnswers({
    summary: 'Set the balance of test mode',
    description:
      'What the test keys of the account have to spend. Only a test key may set it; the balance of the account itself ' +
      'stays as it is. See [Test mode](test-mode).',
    status: HttpStatus.OK,
    success: 'The new test balance.',
    type: Balance,
    kind: 'testBalance',
  })
  setTestBalance(
    @CurrentAccount() account: KeyHolder,
    @Body() body: TestBalanceRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<Balance> {
    return this.testBalance.set(account, withoutFaults(body, query));
  }
}
