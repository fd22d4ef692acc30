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
import { checkedKey, idempotencyKey, markReplay, SentKey } from './idempotency.js';
import { SendRequest } from './messages.dto.js';
import { SEND_EXAMPLES } from './request-examples.js';
import { SendResult } from './send-results.dto.js';
import { singleSubmission } from './submission.js';
import { traceAccept } from './trace-accept.js';

@ApiTags('messages')
@UseGuards(AccountGuard)
@Controller('v1/message')
export class MessagesController {
  constructor(
    private readonly acceptDrafts: AcceptDrafts,
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
    const ownKey = await idempotencyKey(key, submission);
    const acceptance = await this.acceptDrafts.accept(account, submission, ownKey);
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
}
