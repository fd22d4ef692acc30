import { Controller, Get, HttpStatus, Param, Query, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { AccountStatements } from './account-statements.js';
import { Statement, StatementFormatQuery, StatementMonths, StatementPath } from './statement.dto.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1/account/statements')
export class StatementsController {
  constructor(private readonly made: AccountStatements) {}

  @Get()
  @ApiAnswers({
    summary: 'The months that have a statement',
    description: 'Every month since the account was opened.',
    status: HttpStatus.OK,
    success: 'The months, newest first.',
    type: StatementMonths,
    kind: 'read',
  })
  statements(@CurrentAccount() account: KeyHolder, @Query() _query: NoQuery): Promise<StatementMonths> {
    return this.made.months(account);
  }

  @Get(':month')
  @ApiAnswers({
    summary: 'The statement of a month',
    description:
      'Opening balance, deposits, corrections, charges by day, country and price, refunds, closing balance. They add up ' +
      'exactly, and the next month opens with the balance with which this one closes.',
    status: HttpStatus.OK,
    success: 'The statement.',
    type: Statement,
    kind: 'statement',
  })
  statement(
    @CurrentAccount() account: KeyHolder,
    @Param() path: StatementPath,
    @Query() query: NoQueryBesideBody,
  ): Promise<Statement> {
    return this.made.statement(account, withoutFaults(path, query).month);
  }

  @Get(':month/export')
  @ApiAnswers({
    summary: 'The statement of a month as a file',
    description: 'As CSV, or as a page to print.',
    status: HttpStatus.OK,
    success: 'The statement.',
    media: ['text/csv', 'text/html'],
    kind: 'statement',
  })
  async exportStatement(
    @CurrentAccount() account: KeyHolder,
    @Param() path: StatementPath,
    @Query() query: StatementFormatQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { month } = withoutFaults(path, query);
    const { name, media, text } = await this.made.file(account, month, query.format);
    void reply.type(media).header('content-disposition', `attachment; filename="${name}"`).send(text);
  }
}
