import { Body, Controller, HttpStatus, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { formatMicros } from '#billing';
import type { KeyHolder } from '#persistence';
import { MessageTraces } from '#telemetry';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoQueryBesideBody } from '../http/page.js';
import { testMark } from '../http/test-mark.js';
import { ApiAnswers } from '../openapi/answers.js';
import { AcceptDrafts } from './accept-drafts.js';
import { SendBatchRequest } from './batch.dto.js';
import { batchSubmission } from './batch-submission.js';
import { checkedKey, idempotencyKey, markReplay, SentKey } from './idempotency.js';
import { BATCH_EXAMPLES } from './request-examples.js';
import { SendBatchResult } from './send-results.dto.js';
import { traceAccept } from './trace-accept.js';

@ApiTags('messages')
@UseGuards(AccountGuard)
@Controller('v1/message')
export class SendBatchController {
  constructor(
    private readonly acceptDrafts: AcceptDrafts,
    private readonly traces: MessageTraces,
  ) {}

  @Post('send-batch')
  @ApiBody({ type: SendBatchRequest, examples: BATCH_EXAMPLES })
  @ApiAnswers({
    summary: 'Send several SMS, all or none',
    description:
      'The rules of a single send apply to each entry. One entry at fault refuses the batch, and `errors` names every ' +
      'such entry by its `arrayPosition`. Recipients may repeat. What stands beside `messages` holds for all entries that ' +
      'have none of their own.',
    status: HttpStatus.CREATED,
    success: 'All orders are registered and charged; `orderSummary` has one entry for each message, in order.',
    type: SendBatchResult,
    kind: 'batch',
  })
  async sendBatch(
    @CurrentAccount() account: KeyHolder,
    @Body() body: SendBatchRequest,
    @Query() query: NoQueryBesideBody,
    @SentKey() key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendBatchResult> {
    const submission = batchSubmission(body, query, checkedKey(key));
    const ownKey = await idempotencyKey(key, submission);
    const acceptance = await this.acceptDrafts.accept(account, submission, ownKey);
    markReplay(reply, acceptance);
    if (this.traces.isOn) traceAccept(this.traces, reply, acceptance);
    const count = acceptance.orders.length;
    return {
      success: true,
      message: `${count} ${count === 1 ? 'message' : 'messages'} accepted`,
      balanceDeduction: formatMicros(acceptance.total),
      currency: account.currency,
      batchId: acceptance.batchId,
      orderSummary: acceptance.orders.map((order, arrayPosition) => ({
        arrayPosition,
        amount: order.price,
        recipient: order.recipient,
        messageId: order.id,
        reference: order.reference,
        tag: order.tag,
        sendAt: order.sendAt,
        replacedCharacters: order.replacements,
      })),
      test: testMark(account),
    };
  }
}
