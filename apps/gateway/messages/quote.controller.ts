import { Body, Controller, HttpStatus, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoQueryBesideBody } from '../http/page.js';
import { ApiAnswers } from '../openapi/answers.js';
import { SendBatchRequest } from './batch.dto.js';
import { batchSubmission } from './batch-submission.js';
import { SendRequest } from './messages.dto.js';
import { QuoteBatchResult, QuoteRequest, QuoteResult } from './quote.dto.js';
import { QuoteDrafts } from './quote-drafts.js';
import { BATCH_EXAMPLES, SEND_EXAMPLES } from './request-examples.js';
import { singleSubmission } from './submission.js';

@ApiTags('messages')
@ApiExtraModels(SendRequest, SendBatchRequest, QuoteResult, QuoteBatchResult)
@UseGuards(AccountGuard)
@Controller('v1/message')
export class QuoteController {
  constructor(private readonly quoteDrafts: QuoteDrafts) {}

  @Post('quote')
  @ApiBody({
    schema: {
      oneOf: [{ $ref: '#/components/schemas/SendRequest' }, { $ref: '#/components/schemas/SendBatchRequest' }],
    },
    examples: { ...SEND_EXAMPLES, ...BATCH_EXAMPLES },
  })
  @ApiAnswers({
    summary: 'Segments and price of a send or a batch',
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
}
