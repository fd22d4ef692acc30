import { Body, Controller, Get, Headers, HttpStatus, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { formatMicros } from '#billing';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { ApiAnswers } from '../openapi/answers.js';
import { type Acceptance, AcceptDrafts } from './accept-drafts.js';
import { checkedKey, idempotencyKey, idempotencyKeyOfBatch } from './idempotency.js';
import { Message, MessagePath } from './message.dto.js';
import { SendBatchRequest, SendBatchResult, SendRequest, SendResult } from './messages.dto.js';
import { QuoteBatchResult, QuoteRequest, QuoteResult } from './quote.dto.js';
import { QuoteDrafts } from './quote-drafts.js';
import { BATCH_EXAMPLES, SEND_EXAMPLES } from './request-examples.js';
import { ShowMessage } from './show-message.js';
import { batchSubmission, singleSubmission } from './submission.js';

@ApiTags('messages')
@ApiExtraModels(SendRequest, SendBatchRequest, QuoteResult, QuoteBatchResult)
@UseGuards(AccountGuard)
@Controller('v1/message')
export class MessagesController {
  constructor(
    private readonly acceptDrafts: AcceptDrafts,
    private readonly quoteDrafts: QuoteDrafts,
    private readonly showMessage: ShowMessage,
  ) {}

  @Post('send')
  @ApiBody({ type: SendRequest, examples: SEND_EXAMPLES })
  @ApiAnswers({
    summary: 'Send one SMS',
    description:
      'Registers the message and deducts its price, in one commit. Follow it under `GET /v1/message/{messageId}`.',
    status: HttpStatus.CREATED,
    success: 'The message order is registered and charged.',
    type: SendResult,
    kind: 'send',
  })
  async send(
    @CurrentAccount() account: KeyHolder,
    @Body() body: SendRequest,
    @Query() query: NoQueryBesideBody,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResult> {
    const submission = singleSubmission(body, query, checkedKey(key));
    const acceptance = await this.acceptDrafts.accept(account, submission, idempotencyKey(key, 'send', submission));
    markReplay(reply, acceptance);
    const [order] = acceptance.orders;
    return {
      success: true,
      messageId: order?.id ?? '',
      balanceDeduction: formatMicros(acceptance.total),
      currency: account.currency,
      reference: order?.reference,
      tag: order?.tag,
    };
  }

  @Post('send-batch')
  @ApiBody({ type: SendBatchRequest, examples: BATCH_EXAMPLES })
  @ApiAnswers({
    summary: 'Send several SMS, all or none',
    description:
      'The rules of a single send apply to each entry. One entry at fault refuses the batch, and `errors` names every ' +
      'such entry by its `arrayPosition`. Recipients may repeat.',
    status: HttpStatus.CREATED,
    success: 'All orders are registered and charged; `orderSummary` has one entry for each message, in order.',
    type: SendBatchResult,
    kind: 'batch',
  })
  async sendBatch(
    @CurrentAccount() account: KeyHolder,
    @Body() body: SendBatchRequest,
    @Query() query: NoQueryBesideBody,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendBatchResult> {
    const submission = batchSubmission(body, query, checkedKey(key));
    const ownKey = await idempotencyKeyOfBatch(key, 'send-batch', submission);
    const acceptance = await this.acceptDrafts.accept(account, submission, ownKey);
    markReplay(reply, acceptance);
    const count = acceptance.orders.length;
    return {
      success: true,
      message: `${count} ${count === 1 ? 'message' : 'messages'} accepted`,
      balanceDeduction: formatMicros(acceptance.total),
      currency: account.currency,
      orderSummary: acceptance.orders.map(({ id, recipient, price, reference, tag }, arrayPosition) => ({
        arrayPosition,
        amount: price,
        recipient,
        messageId: id,
        reference,
        tag,
      })),
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
}

function markReplay(reply: FastifyReply, acceptance: Acceptance): void {
  if (acceptance.isReplay) void reply.header('Idempotent-Replayed', 'true');
}
