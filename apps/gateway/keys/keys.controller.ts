import { Body, Controller, Get, HttpStatus, Param, Patch, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { AccountGuard } from '../http/account.guard.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { NoBody } from '../http/no-body.js';
import { NoQuery, NoQueryBesideBody, PageQuery } from '../http/page.js';
import { withoutFaults } from '../http/problem.js';
import { ApiAnswers } from '../openapi/answers.js';
import {
  ApiKey,
  ApiKeyList,
  CreatedApiKey,
  CreateKeyRequest,
  KeyPath,
  RenameKeyRequest,
  RotatedApiKey,
  RotateKeyRequest,
} from './keys.dto.js';
import { ManageKeys } from './manage-keys.js';

@ApiTags('keys')
@UseGuards(AccountGuard)
@Controller('v1/account/keys')
export class KeysController {
  constructor(private readonly manageKeys: ManageKeys) {}

  @Get()
  @ApiAnswers({
    summary: 'API keys, newest first',
    description: 'Revoked and expired ones as well. See [Keys and limits](keys).',
    status: HttpStatus.OK,
    success: 'One page of keys; past the last page `data` is empty.',
    type: ApiKeyList,
    kind: 'list',
    scope: 'manage',
  })
  listKeys(@Req() request: AuthenticatedRequest, @Query() query: PageQuery): Promise<ApiKeyList> {
    return this.manageKeys.list(request, query);
  }

  @Post()
  @ApiAnswers({
    summary: 'Make an API key',
    description:
      'The answer has the key itself, which is shown only now. A key cannot give more than it has: the scopes, ' +
      'networks and life of the new key lie within those of the key of this request.',
    status: HttpStatus.CREATED,
    success: 'The key works from now on.',
    type: CreatedApiKey,
    kind: 'keyCreate',
  })
  createKey(
    @Req() request: AuthenticatedRequest,
    @Body() body: CreateKeyRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<CreatedApiKey> {
    return this.manageKeys.create(request, withoutFaults(body, query));
  }

  @Get(':keyId')
  @ApiAnswers({
    summary: 'One API key',
    description: 'All but the key itself, which was shown once, when it was made.',
    status: HttpStatus.OK,
    success: 'The key.',
    type: ApiKey,
    kind: 'item',
    scope: 'manage',
  })
  showKey(@Req() request: AuthenticatedRequest, @Param() path: KeyPath, @Query() _query: NoQuery): Promise<ApiKey> {
    return this.manageKeys.show(request, path.keyId);
  }

  @Patch(':keyId')
  @ApiAnswers({
    summary: 'Rename an API key',
    description: 'Its name is all that can change. For other scopes or networks make a new key.',
    status: HttpStatus.OK,
    success: 'The key with its new name.',
    type: ApiKey,
    kind: 'keyRename',
  })
  renameKey(
    @Req() request: AuthenticatedRequest,
    @Param() path: KeyPath,
    @Body() body: RenameKeyRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<ApiKey> {
    return this.manageKeys.rename(request, path.keyId, withoutFaults(body, query).name);
  }

  @Post(':keyId/revoke')
  @ApiBody({ type: NoBody, required: false })
  @ApiAnswers({
    summary: 'Revoke an API key',
    description:
      'Ends it for good, within 5 seconds at every gateway. Revoking it again changes nothing. The last key that can ' +
      'manage keys is not revoked.',
    status: HttpStatus.OK,
    success: 'The revoked key.',
    type: ApiKey,
    kind: 'keyRevoke',
  })
  revokeKey(
    @Req() request: AuthenticatedRequest,
    @Param() path: KeyPath,
    @Body() body: NoBody,
    @Query() query: NoQueryBesideBody,
  ): Promise<ApiKey> {
    withoutFaults(body, query);
    return this.manageKeys.revoke(request, path.keyId);
  }

  @Post(':keyId/rotate')
  @ApiBody({ type: RotateKeyRequest, required: false })
  @ApiAnswers({
    summary: 'Replace an API key without downtime',
    description:
      'Makes a key with the same name, scopes and networks, and shows it once. The old key works for ' +
      '`overlapSeconds` more, 24 hours by default, so that everything that uses it can change over.',
    status: HttpStatus.CREATED,
    success: 'The new key works from now on; `replacedKey` is the old one.',
    type: RotatedApiKey,
    kind: 'keyRotate',
  })
  rotateKey(
    @Req() request: AuthenticatedRequest,
    @Param() path: KeyPath,
    @Body() body: RotateKeyRequest,
    @Query() query: NoQueryBesideBody,
  ): Promise<RotatedApiKey> {
    return this.manageKeys.rotate(request, path.keyId, withoutFaults(body, query));
  }
}
