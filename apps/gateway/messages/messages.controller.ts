import { Body, Controller, Get, HttpStatus, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { formatMicros } from '#billing';
import type { KeyHolder } from '#persistence';
import { MessageTraces } from '#telemetry';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoBody } from '../http/no-body.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { testMark } from '../http/test-mark.js';
import { ApiAnswers } from '../openapi/answers.js';
import { type Acceptance, AcceptDrafts } from './accept-drafts.js';
import { Batch, BatchPath } from './batch.dto.js';
import { CancelBatchResult, CancelResult } from './cancel.dto.js';
import { CancelMessages } from './cancel-messages.js';
import { checkedKey, idempotencyKey, idempotencyKeyOfBatch, SentKey } from './idempotency.js';
import { Message, MessagePath } from './message.dto.js';
import { SendBatchRequest, SendBatchResult, SendRequest, SendResult } from './messages.dto.js';
import { QuoteBatchResult, QuoteRequest, QuoteResult } from './quote.dto.js';
import { QuoteDrafts } from './quote-drafts.js';
import { BATCH_EXAMPLES, SEND_EXAMPLES } from './request-examples.js';
import { ShowBatch } from './show-batch.js';
import { ShowMessage } from './show-message.js';
import { batchSubmission, singleSubmission } from './submission.js';
import { traceAccept } from './trace-accept.js';

@ApiTags('messages')
@ApiExtraModels(SendRequest, SendBatchRequest, QuoteResult, QuoteBatchResult)
@UseGuards(AccountGuard)
@Controller('v1/message')
export class MessagesController {
  constructor(
    private readonly acceptDrafts: AcceptDrafts,
    private readonly quoteDrafts: QuoteDrafts,
    private readonly showMessage: ShowMessage,
    private readonly showBatch: ShowBatch,
    private readonly cancelMessages: CancelMessages,
    private readonly traces: MessageTraces,
  ) {}

  @Post('send')
  @ApiBody({ type: SendRequest, examples: SEND_EXAMPLES })
  @ApiAnswers({
    summary: 'Send one SMS',
    description:
      'Registers the message and deducts its price, in one commit. Follow it under `GET /v1/message/{messageId}`. With ' +
      '`sendAt` it is sent later, and can be canceled until then.',
    status: HttpStatus.CREATED,
    success: 'The message order is registered and charged.',
    type: SendResult,
    kind: 'send',
  })
  async send(
    @CurrentAccount() account: KeyHolder,
    @Body() body: SendRequest,
    @Query() query: NoQueryBesideBody,
    @SentKey() key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResult> {
    const submission = singleSubmission(body, query, checkedKey(key));
    const acceptance = await this.acceptDrafts.accept(account, submission, idempotencyKey(key, 'send', submission));
    markReplay(reply, acceptance);
    if (this.traces.isOn) traceAccept(this.traces, reply, acceptance);
    const [order] = acceptance.orders;
    return {
      success: true,
      messageId: order?.id ?? '',
      balanceDeduction: formatMicros(acceptance.total),
      currency: account.currency,
      reference: order?.reference,
      tag: order?.tag,
      sendAt: order?.sendAt,
      replacedCharacters: order?.replacements,
      test: testMark(account),
    };
  }

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
    const ownKey = await idempotencyKeyOfBatch(key, 'send-batch', submission);
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

  @Post('quote')
  @ApiBody({
    schema: {
      oneOf: [{ $ref: '#/components/schemas/SendRequest' }, { $ref: '#/components/schemas/SendBatchRequest' }],
    },
    examples: { ...SEND_EXAMPLES, ...BATCH_EXAMPLES },
  })
  @ApiAnswers({
    summary: 'What a send or a batch would be and cost',
    description:
      'Takes the body of a send or of a batch, and answers its encoding, the characters that make it extended, its ' +
      'segments and its price. Charges nothing and needs no balance. See [Text, segments and price](text).',
    status: HttpStatus.OK,
    success: 'A quote of the message; of a batch, when the body has `messages`.',
    oneOf: [QuoteResult, QuoteBatchResult],
    kind: 'quote',
  })
  quote(
    @CurrentAccount() account: KeyHolder,
    @Body() body: QuoteRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<QuoteResult | QuoteBatchResult> {
    const isSingle = body.messages === undefined;
    return this.quoteDrafts.quote(account, isSingle ? singleSubmission(body, query) : batchSubmission(body, query));
  }

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

function markReplay(reply: FastifyReply, acceptance: Acceptance): void {
  if (acceptance.isReplay) void reply.header('Idempotent-Replayed', 'true');
}
