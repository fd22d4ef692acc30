import { Body, Controller, Delete, Get, HttpStatus, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoBody } from '../http/no-body.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { ManageSuppressions } from './manage-suppressions.js';
import {
  AccountGuardsShown,
  SuppressionAdded,
  SuppressionList,
  SuppressionPath,
  SuppressionQuery,
  SuppressionRemoved,
  SuppressionRequest,
} from './suppressions.dto.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account')
export class SuppressionsController {
  constructor(private readonly manage: ManageSuppressions) {}

  @Get('suppressions')
  @ApiAnswers({
    summary: 'Numbers to which you send nothing',
    description: 'The newest first, as hashes: numbers are not kept. With `recipient` only the entry of this number.',
    status: HttpStatus.OK,
    success: 'A page of the suppression list.',
    type: SuppressionList,
    kind: 'suppressionList',
  })
  suppressions(@CurrentAccount() account: KeyHolder, @Query() query: SuppressionQuery): Promise<SuppressionList> {
    return this.manage.list(account, query);
  }

  @Post('suppressions')
  @ApiAnswers({
    summary: 'Send nothing more to a number',
    description:
      'Every later send to it is refused with `recipient_opted_out`. Messages to it that no carrier has are canceled and ' +
      'given back. Adding it again changes nothing. A test key has a list of its own.',
    status: HttpStatus.OK,
    success: 'The number is on the suppression list.',
    type: SuppressionAdded,
    kind: 'suppressionAdd',
  })
  suppress(
    @Req() request: AuthenticatedRequest,
    @Body() body: SuppressionRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<SuppressionAdded> {
    return this.manage.add(request, withoutFaults(body, query));
  }

  @Delete('suppressions/:recipient')
  @ApiAnswers({
    summary: 'Send to a number again',
    description:
      'Takes the number off the suppression list. Do it only if its owner agrees. Removing it again changes nothing.',
    status: HttpStatus.OK,
    success: 'The number is not on the suppression list.',
    type: SuppressionRemoved,
    kind: 'suppressionRemove',
  })
  unsuppress(
    @Req() request: AuthenticatedRequest,
    @Param() path: SuppressionPath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<SuppressionRemoved> {
    withoutFaults(body, query, path);
    return this.manage.remove(request, path);
  }

  @Get('guards')
  @ApiAnswers({
    summary: 'What the account may send',
    description: 'The guards that the operator has set, as they hold today. Null: there is none.',
    status: HttpStatus.OK,
    success: 'The guards.',
    type: AccountGuardsShown,
    kind: 'read',
  })
  guards(@CurrentAccount() account: KeyHolder, @Query() _query: NoQuery): Promise<AccountGuardsShown> {
    return this.manage.guards(account);
  }
}
