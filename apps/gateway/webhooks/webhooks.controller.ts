import { Body, Controller, Delete, Get, HttpStatus, Param, Patch, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { NoBody } from '../http/no-body.js';
import { NoQuery, NoQueryBesideBody } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import { DeliveriesQuery, DeliveryList } from './deliveries.dto.js';
import { ManageWebhooks } from './manage-webhooks.js';
import {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  EnableWebhookRequest,
  Removed,
  ReplayRequest,
  Requested,
  RotateSecretRequest,
  Webhook,
  WebhookList,
  WebhookPath,
  WebhookWithSecret,
} from './webhooks.dto.js';

@ApiTags('webhooks')
@UseGuards(AccountGuard)
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly manage: ManageWebhooks) {}

  @Get()
  @ApiAnswers({
    summary: 'Webhooks of the account',
    description: 'Oldest first, disabled ones as well.',
    status: HttpStatus.OK,
    success: 'All webhooks.',
    type: WebhookList,
    kind: 'read',
    scope: 'manage',
  })
  listWebhooks(@Req() request: AuthenticatedRequest, @Query() _query: NoQuery): Promise<WebhookList> {
    return this.manage.list(request);
  }

  @Post()
  @ApiAnswers({
    summary: 'Make a webhook',
    description:
      'Events that happen from now on are sent to the address, signed by [Standard Webhooks](https://www.standardwebhooks.com). ' +
      'The answer has the secret, which is shown only now.',
    status: HttpStatus.CREATED,
    success: 'The webhook works from now on.',
    type: WebhookWithSecret,
    kind: 'webhookCreate',
  })
  createWebhook(
    @Req() request: AuthenticatedRequest,
    @Body() body: CreateWebhookRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<WebhookWithSecret> {
    return this.manage.create(request, body, query);
  }

  @Get(':id')
  @ApiAnswers({
    summary: 'One webhook',
    description:
      'All but its secret, which was shown once, when it was made. `status` tells whether the webhook works.',
    status: HttpStatus.OK,
    success: 'The webhook.',
    type: Webhook,
    kind: 'item',
    scope: 'manage',
  })
  showWebhook(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Query() _query: NoQuery,
  ): Promise<Webhook> {
    return this.manage.show(request, path.id);
  }

  @Patch(':id')
  @ApiAnswers({
    summary: 'Change a webhook',
    description: 'Its address, its events or its description; what is left out stays.',
    status: HttpStatus.OK,
    success: 'The changed webhook.',
    type: Webhook,
    kind: 'webhookChange',
  })
  changeWebhook(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: ChangeWebhookRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<Webhook> {
    return this.manage.alter(request, path.id, body, query);
  }

  @Delete(':id')
  @ApiAnswers({
    summary: 'Delete a webhook',
    description: 'With everything that waits for it. To stop it for a while, disable it.',
    status: HttpStatus.OK,
    success: 'It is deleted.',
    type: Removed,
    kind: 'webhookDelete',
  })
  deleteWebhook(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<Removed> {
    withoutFaults(body, query);
    return this.manage.remove(request, path.id);
  }

  @Post(':id/rotate')
  @ApiBody({ type: RotateSecretRequest, required: false })
  @ApiAnswers({
    summary: 'Replace the secret of a webhook',
    description:
      'Requests are signed with both secrets for `overlapSeconds`, 24 hours by default; and with earlier ones whose time ' +
      'is not over.',
    status: HttpStatus.CREATED,
    success: 'The new secret signs from now on.',
    type: WebhookWithSecret,
    kind: 'webhookRotate',
  })
  rotateWebhookSecret(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: RotateSecretRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<WebhookWithSecret> {
    return this.manage.rotate(request, path.id, withoutFaults(body, query).overlapSeconds);
  }

  @Post(':id/disable')
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Disable a webhook',
    description: 'Nothing is sent to it until it is enabled again. Its events are kept for 14 days.',
    status: HttpStatus.OK,
    success: 'The disabled webhook.',
    type: Webhook,
    kind: 'webhookChange',
  })
  disableWebhook(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<Webhook> {
    withoutFaults(body, query);
    return this.manage.disable(request, path.id);
  }

  @Post(':id/enable')
  @ApiBody({ type: EnableWebhookRequest, required: false })
  @ApiAnswers({
    summary: 'Enable a webhook',
    description: 'Also one that the service has disabled, or that is failing: it is tried at once.',
    status: HttpStatus.OK,
    success: 'The enabled webhook.',
    type: Webhook,
    kind: 'webhookChange',
  })
  enableWebhook(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: EnableWebhookRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<Webhook> {
    return this.manage.enable(request, path.id, withoutFaults(body, query).resume);
  }

  @Post(':id/test')
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Send a test event',
    description: 'An event of the type `webhook.test` is sent to this webhook. Its deliveries tell what became of it.',
    status: HttpStatus.CREATED,
    success: 'It is sent within a second.',
    type: Requested,
    kind: 'webhookSend',
  })
  testWebhook(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<Requested> {
    withoutFaults(body, query);
    return this.manage.test(request, path.id);
  }

  @Post(':id/replay')
  @ApiAnswers({
    summary: 'Send events again',
    description:
      'One event by its id, of any type, or all events of a time, of the types of this webhook. They have the same ids as before.',
    status: HttpStatus.CREATED,
    success: 'They are sent beside new events.',
    type: Requested,
    kind: 'webhookSend',
  })
  replayEvents(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Body() body: ReplayRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<Requested> {
    return this.manage.replay(request, path.id, withoutFaults(body, query));
  }

  @Get(':id/deliveries')
  @ApiAnswers({
    summary: 'Deliveries of a webhook',
    description:
      'Attempts of the last 30 days that failed, those that succeeded after them, and all attempts of tests and of ' +
      'events that were replayed by their id, newest first. Filters can be combined. Another event that succeeded at ' +
      'its first attempt is not listed, also if a replay of a time has sent it. The list goes on by `cursor` only: ' +
      'another `page` than 1 is refused.',
    status: HttpStatus.OK,
    success: 'One page of attempts.',
    type: DeliveryList,
    kind: 'webhookList',
  })
  listDeliveries(
    @Req() request: AuthenticatedRequest,
    @Param() path: WebhookPath,
    @Query() query: DeliveriesQuery,
  ): Promise<DeliveryList> {
    return this.manage.deliveries(request, path.id, query);
  }
}
