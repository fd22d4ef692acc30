import { Controller, Get, HttpStatus, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { ApiAnswers } from '../openapi/answers.js';
import { InboundMessageList } from './inbound.dto.js';
import { InboundQuery } from './inbound-query.js';
import { ListInbound } from './list-inbound.js';

@ApiTags('messages')
@UseGuards(AccountGuard)
@Controller('v1/message/inbound')
export class InboundController {
  constructor(private readonly listInbound: ListInbound) {}

  @Get()
  @ApiAnswers({
    summary: 'Messages that handsets sent to you, newest first',
    description:
      'Answers to your messages, and messages to your numbers. Filters can be combined. Page by `page`, or by `cursor`, ' +
      'which no new message shifts. With filters, pages by number reach the 1,000 newest messages that fit, and `cursor` ' +
      'all of them. To be told of each one, ask for the event `message.received`.',
    status: HttpStatus.OK,
    success: 'One page of messages; past the last page `data` is empty.',
    type: InboundMessageList,
    kind: 'list',
  })
  inbound(@CurrentAccount() account: KeyHolder, @Query() query: InboundQuery): Promise<InboundMessageList> {
    return this.listInbound.list(account, query);
  }
}
