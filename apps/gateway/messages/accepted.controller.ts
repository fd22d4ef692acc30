import { Body, Controller, Get, HttpStatus, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoBody } from '../http/no-body.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { Batch, BatchPath } from './batch.dto.js';
import { CancelBatchResult, CancelResult } from './cancel.dto.js';
import { CancelMessages } from './cancel-messages.js';
import { Message, MessagePath } from './message.dto.js';
import { ShowBatch } from './show-batch.js';
import { ShowMessage } from './show-message.js';

/** What became of messages and batches that were accepted, and their end before a carrier gets them. */
@ApiTags('messages')
@UseGuards(AccountGuard)
@Controller('v1/message')
export class AcceptedController {
  constructor(
    private readonly showMessage: ShowMessage,
    private readonly showBatch: ShowBatch,
    private readonly cancelMessages: CancelMessages,
  ) {}

  @Get(':messageId')
  @ApiAnswers({
    summary: 'One message, and what became of it',
    description:
      'The order, the status of each segment, and every status it has had with its time, reason and code of the ' +
      'carrier. A message of another account is answered like one that is not there.',
    status: HttpStatus.OK,
    success: 'The message as it stands.',
    type: Message,
    kind: 'item',
  })
  message(
    @CurrentAccount() account: KeyHolder,
    @Param() { messageId }: MessagePath,
    @Query() _query: NoQuery,
  ): Promise<Message> {
    return this.showMessage.show(account, messageId);
  }

  @Post(':messageId/cancel')
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Cancel a message',
    description:
      'Cancels a message that is `scheduled`, or `queued` and not with a carrier yet, and gives its charge back in the ' +
      'same commit. Canceling it again answers the same. A message of another account is answered like one that is ' +
      'not there.',
    status: HttpStatus.OK,
    success: 'The message is canceled and costs nothing.',
    type: CancelResult,
    kind: 'cancel',
  })
  cancel(
    @CurrentAccount() account: KeyHolder,
    @Param() { messageId }: MessagePath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<CancelResult> {
    withoutFaults(body, query);
    return this.cancelMessages.cancel(account, messageId);
  }

  @Get('batch/:batchId')
  @ApiAnswers({
    summary: 'One batch, and how far it has come',
    description:
      'How many of its messages have each status, and what they cost now. For each of them, use its `messageId`, or ' +
      'give the batch a `tag` and list by it.',
    status: HttpStatus.OK,
    success: 'The batch as it stands.',
    type: Batch,
    kind: 'item',
  })
  batch(
    @CurrentAccount() account: KeyHolder,
    @Param() { batchId }: BatchPath,
    @Query() _query: NoQuery,
  ): Promise<Batch> {
    return this.showBatch.show(account, batchId);
  }

  @Post('batch/:batchId/cancel')
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Cancel a batch',
    description:
      'Cancels every message of the batch that can be canceled; `orderSummary` has the status of each. If none of them ' +
      'can, it is refused. Canceling it again answers the same.',
    status: HttpStatus.OK,
    success: 'At least one message of the batch is canceled; canceled messages cost nothing.',
    type: CancelBatchResult,
    kind: 'cancel',
  })
  cancelBatch(
    @CurrentAccount() account: KeyHolder,
    @Param() { batchId }: BatchPath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<CancelBatchResult> {
    withoutFaults(body, query);
    return this.cancelMessages.cancelBatch(account, batchId);
  }
}
