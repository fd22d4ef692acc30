import { Body, Controller, Delete, HttpStatus, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { NoBody } from '../http/no-body.js';
import { NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { ConsoleToken, EndedToken } from './console.dto.js';
import { ManageConsoleTokens } from './manage-console-tokens.js';

@ApiTags('keys')
@UseGuards(AccountGuard)
@Controller('v1/console/token')
export class ConsoleTokensController {
  constructor(private readonly tokens: ManageConsoleTokens) {}

  @Post()
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Exchange an API key for a token that ends',
    description:
      'For pages in a browser, which should not keep a key. The token may do what the key of this request may do, for ' +
      '12 hours at most; it ends at once when the key is revoked. A token makes no other token.',
    status: HttpStatus.CREATED,
    success: 'The token works from now on.',
    type: ConsoleToken,
    kind: 'consoleToken',
  })
  createConsoleToken(
    @Req() request: AuthenticatedRequest,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<ConsoleToken> {
    withoutFaults(body, query);
    return this.tokens.create(request);
  }

  @Delete()
  @ApiAnswers({
    summary: 'End a token',
    description: 'Ends the token of this request, within 5 seconds at every gateway: somebody signs out.',
    status: HttpStatus.OK,
    success: 'The token has ended.',
    type: EndedToken,
    kind: 'consoleTokenEnd',
  })
  endConsoleToken(
    @Req() request: AuthenticatedRequest,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<EndedToken> {
    withoutFaults(body, query);
    return this.tokens.end(request);
  }
}
