import { Injectable } from '@nestjs/common';
import {
  type AccountRetention,
  Database,
  FreshReads,
  type KeyHolder,
  KeyRefused,
  OperatorError,
  readAccountRetention,
  redactMessage,
  redactNumber,
  setOwnRetention,
} from '#persistence';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { accountOf, managerOf } from '../http/current-account.js';
import { Problem } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import { unauthorized } from '../http/unauthorized.js';
import type {
  AccountRetentionShown,
  MessageRedacted,
  NumberRedacted,
  RedactionRequest,
  RetentionRequest,
} from './privacy.dto.js';

/** Redactions and changes of an account at this gateway: each is a transaction with a record of its own. */
const CHANGES = { perSecond: 20, burst: 200, ownersMax: 10_000 };

/** USE CASE: a client has texts and numbers removed, by time or at once. */
@Injectable()
export class ManagePrivacy {
  private readonly changes = new TokenBuckets(CHANGES);

  constructor(
    private readonly database: Database,
    private readonly reads: FreshReads,
  ) {}

  async retention({ accountId }: KeyHolder): Promise<AccountRetentionShown> {
    return shown(await this.reads.read((database) => readAccountRetention(database, accountId)));
  }

  /**
   * @throws Problem when the key is a test key, because what it would remove is the account's, and does not come back;
   *   when too many changes were made, or the key or the account has ended meanwhile
   */
  async setRetention(request: AuthenticatedRequest, change: RetentionRequest): Promise<AccountRetentionShown> {
    if (accountOf(request).isTest) {
      throw new Problem('live_key_required', 'This holds for the whole account, so a test key cannot set it.');
    }
    const { accountId, keyId, actor } = this.changing(request);
    const { textDays, numberDays } = change;
    try {
      return shown(await setOwnRetention(this.database, { accountId, keyId, actor }, { textDays, numberDays }));
    } catch (error) {
      if (error instanceof KeyRefused) throw unauthorized('The API key is not valid.');
      // The account was closed meanwhile.
      if (error instanceof OperatorError) throw new Problem('invalid_request', `Not possible: ${error.message}.`);
      throw error;
    }
  }

  async redactNumber(request: AuthenticatedRequest, { destination = '' }: RedactionRequest): Promise<NumberRedacted> {
    const { accountId, actor } = this.changing(request);
    const done = await redactNumber(this.database.actingAs(actor), accountId, destination, 'client');
    return {
      success: true,
      sentMessages: done.sent,
      laterMessages: done.later,
      receivedMessages: done.received,
      complete: done.isOver,
    };
  }

  /** @throws Problem `not_found`, in the same words for an id that is unknown and for one of another account */
  async redactMessage(request: AuthenticatedRequest, messageId: string): Promise<MessageRedacted> {
    const { accountId, actor } = this.changing(request);
    const outcome = await redactMessage(this.database.actingAs(actor), accountId, messageId);
    if (outcome === undefined) throw new Problem('not_found', 'This account has no message with this id.');
    return { success: true, messageId, redacted: outcome === 'redacted' };
  }

  private changing(request: AuthenticatedRequest) {
    const manager = managerOf(request);
    const waitMs = this.changes.take(manager.accountId);
    if (waitMs > 0) throw rateLimited('This account redacts too often.', 'redactions', CHANGES, waitMs);
    return manager;
  }
}

function shown({ textDays, numberDays, owners }: AccountRetention): AccountRetentionShown {
  return {
    textDays: textDays ?? null,
    numberDays: numberDays ?? null,
    own: { textDays: owners.textDays ?? null, numberDays: owners.numberDays ?? null },
  };
}
