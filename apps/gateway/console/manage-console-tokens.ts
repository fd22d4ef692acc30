import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '#config';
import { createConsoleToken, Database, endConsoleToken, KEY_SCOPES, ownerOf } from '#persistence';
import { ApiKeys } from '../http/api-keys.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { accountOf } from '../http/current-account.js';
import { Problem } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import { unauthorized } from '../http/unauthorized.js';
import { CONFIG } from '../injected.js';
import type { ConsoleToken, EndedToken } from './console.dto.js';

/** Tokens that an account may make at this gateway. */
const NEW_TOKENS = { perSecond: 0.2, burst: 30, ownersMax: 10_000 };

/** USE CASE: the owner of an account signs in to the console and out of it. */
@Injectable()
export class ManageConsoleTokens {
  private readonly made = new TokenBuckets(NEW_TOKENS);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeys,
    @Inject(CONFIG) private readonly config: Pick<Config, 'BATCH_MESSAGES_MAX'>,
  ) {}

  /** @throws Problem when the request has a token itself, its key has ended, or too many were made */
  async create(request: AuthenticatedRequest): Promise<ConsoleToken> {
    const { accountId, keyId, consoleTokenId, isTest, bounds, senders } = accountOf(request);
    if (consoleTokenId !== undefined) {
      throw new Problem('api_key_required', 'A token makes no other token: send the API key.');
    }
    const waitMs = this.made.take(accountId);
    if (waitMs > 0) throw rateLimited('This account has signed in too often.', 'console-tokens', NEW_TOKENS, waitMs);
    const created = await createConsoleToken(this.database, accountId, keyId);
    if (created === undefined) throw unauthorized('The API key is not valid.');
    const scopes = bounds?.scopes ?? KEY_SCOPES;
    const { BATCH_MESSAGES_MAX: batchMessagesMax } = this.config;
    return { ...created, accountId: ownerOf(accountId), keyId, scopes, senders, batchMessagesMax, test: isTest };
  }

  /** @throws Problem when the request has a key in place of a token */
  async end(request: AuthenticatedRequest): Promise<EndedToken> {
    const { accountId, consoleTokenId } = accountOf(request);
    if (consoleTokenId === undefined) {
      throw new Problem('not_found', 'The request has an API key and no token. Revoke a key to end it.');
    }
    await endConsoleToken(this.database, consoleTokenId);
    this.keys.forget(accountId);
    return { id: consoleTokenId };
  }
}
