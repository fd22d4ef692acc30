import { Body, Controller, Headers, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { formatMicros } from '#billing';
import type { KeyHolder } from '#persistence';
import { CurrentAccount } from '../http/current-account.js';
import { ApiAnswers, ApiIdempotencyKey } from '../openapi/answers.js';
import { type Acceptance, AcceptDrafts } from './accept-drafts.js';
import { idempotencyKey } from './idempotency.js';
import { SendBatchRequest, SendBatchResult, SendRequest, SendResult } from './messages.dto.js';
import { QuoteBatchResult, QuoteRequest, QuoteResult } from './quote.dto.js';
import { QuoteDrafts } from './quote-drafts.js';

@ApiTags('messages')
@ApiExtraModels(SendRequest, SendBatchRequest, QuoteResult, QuoteBatchResult)
@Controller('v1/message')
export class MessagesController {
  constructor(
    private readonly acceptDrafts: AcceptDrafts,
    private readonly quoteDrafts: QuoteDrafts,
  ) {}

  @Post('send')
  @ApiIdempotencyKey()
  @ApiAnswers({ summary: 'Send one SMS', status: HttpStatus.CREATED, type: SendResult, kind: 'send' })
  async send(
    @CurrentAccount() account: KeyHolder,
    @Body() body: SendRequest,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendResult> {
    const acceptance = await this.acceptDrafts.accept(account, [body], false, idempotencyKey(key, 'send', [body]));
    markReplay(reply, acceptance);
    return {
      success: true,
      messageId: acceptance.orders[0]?.id ?? '',
      balanceDeduction: formatMicros(acceptance.total),
      currency: account.currency,
    };
  }

  @Post('send-batch')
  @ApiIdempotencyKey()
  @ApiAnswers({
    summary: 'Send several SMS, all or none',
    status: HttpStatus.CREATED,
    type: SendBatchResult,
    kind: 'send',
  })
  async sendBatch(
    @CurrentAccount() account: KeyHolder,
    @Body() body: SendBatchRequest,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SendBatchResult> {
    const drafts = body.messages;
    const acceptance = await this.acceptDrafts.accept(account, drafts, true, idempotencyKey(key, 'send-batch', drafts));
    markReplay(reply, acceptance);
    const count = acceptance.orders.length;
    return {
      success: true,
      message: `${count} ${count === 1 ? 'message' : 'messages'} accepted`,
      balanceDeduction: formatMicros(acceptance.total),
      currency: account.currency,
      orderSummary: acceptance.orders.map(({ id, recipient, price }, arrayPosition) => ({
        arrayPosition,
        amount: price,
        recipient,
        messageId: id,
      })),
    };
  }

  @Post('quote')
  @HttpCode(HttpStatus.OK)
  @ApiBody({
    schema: {
      oneOf: [{ $ref: '#/components/schemas/SendRequest' }, { $ref: '#/components/schemas/SendBatchRequest' }],
    },
  })
  @ApiAnswers({
    summary: 'What a send or a batch would be and cost; charges nothing',
    status: HttpStatus.OK,
    oneOf: [QuoteResult, QuoteBatchResult],
    kind: 'quote',
  })
  quote(@CurrentAccount() account: KeyHolder, @Body() body: QuoteRequest): Promise<QuoteResult | QuoteBatchResult> {
    return this.quoteDrafts.quote(account, body);
  }
}

function markReplay(reply: FastifyReply, acceptance: Acceptance): void {
  if (acceptance.isReplay) void reply.header('Idempotent-Replayed', 'true');
}
