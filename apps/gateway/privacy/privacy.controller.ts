import { Body, Controller, Get, HttpStatus, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { KeyHolder } from '#persistence';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { CurrentAccount } from '../http/current-account.js';
import { NoBody } from '../http/no-body.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { MessagePath } from '../messages/message.dto.js';
import { ApiAnswers } from '../openapi/answers.js';
import { ManagePrivacy } from './manage-privacy.js';
import {
  AccountRetentionShown,
  MessageRedacted,
  NumberRedacted,
  RedactionRequest,
  RetentionRequest,
} from './privacy.dto.js';

@ApiTags('account')
@UseGuards(AccountGuard)
@Controller('v1')
export class PrivacyController {
  constructor(private readonly privacy: ManagePrivacy) {}

  @Get('account/retention')
  @ApiAnswers({
    summary: 'How long texts and numbers are kept',
    description: 'Counted from the moment at which a message is final. See [Privacy](privacy).',
    status: HttpStatus.OK,
    success: 'What holds for the account, and what you have set.',
    type: AccountRetentionShown,
    kind: 'read',
  })
  retention(@CurrentAccount() account: KeyHolder, @Query() _query: NoQuery): Promise<AccountRetentionShown> {
    return this.privacy.retention(account);
  }

  @Post('account/retention')
  @ApiAnswers({
    summary: 'Choose how long texts and numbers are kept',
    description:
      'Texts and numbers of messages, sent and received, are removed so many days after the message is final. You can ' +
      'only choose fewer days than the operator. What was removed does not come back. A test key cannot set it. See ' +
      '[Privacy](privacy).',
    status: HttpStatus.OK,
    success: 'What holds from now on.',
    type: AccountRetentionShown,
    kind: 'retention',
  })
  setRetention(
    @Req() request: AuthenticatedRequest,
    @Body() body: RetentionRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<AccountRetentionShown> {
    return this.privacy.setRetention(request, withoutFaults(body, query));
  }

  @Post('account/redactions')
  @ApiAnswers({
    summary: 'Remove a number from all messages',
    description:
      'Removes the number and the texts from all messages that you have sent to it or received from it until now. ' +
      'Amounts, statuses and the suppression list stay. It cannot be undone. See [Privacy](privacy).',
    status: HttpStatus.OK,
    success: 'What is redacted, and what follows.',
    type: NumberRedacted,
    kind: 'redactNumber',
  })
  redactNumber(
    @Req() request: AuthenticatedRequest,
    @Body() body: RedactionRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<NumberRedacted> {
    return this.privacy.redactNumber(request, withoutFaults(body, query));
  }

  @Post('message/:messageId/redact')
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Remove the text and the number of a message',
    description:
      'Of a message that you have sent or received. One that is on its way is sent first. Redacting it again answers ' +
      'the same. A message of another account is answered like one that is not there. It cannot be undone.',
    status: HttpStatus.OK,
    success: 'The message is redacted, or will be.',
    type: MessageRedacted,
    kind: 'redactMessage',
  })
  redactMessage(
    @Req() request: AuthenticatedRequest,
    @Param() { messageId }: MessagePath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<MessageRedacted> {
    withoutFaults(body, query);
    return this.privacy.redactMessage(request, messageId);
  }
}
