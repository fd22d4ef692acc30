import { Injectable } from '@nestjs/common';
import {
  ACTIVE_KEYS_MAX,
  type ApiKeyOverview,
  addApiKey,
  apiKeysPage,
  Database,
  findApiKey,
  type KeyManager,
  KeyRefused,
  OperatorError,
  renameApiKey,
  revokeApiKey,
  rotateApiKey,
  sandboxOf,
} from '#persistence';
import { ApiKeys } from '../http/api-keys.js';
import type { AuthenticatedRequest } from '../http/authenticate.js';
import { accountOf, managerOf } from '../http/current-account.js';
import { effectivePage, type PageQuery, Pagination } from '../http/page.js';
import { Problem, problemOf } from '../http/problem.js';
import { rateLimited } from '../http/rate-limited.js';
import { TokenBuckets } from '../http/token-buckets.js';
import { unauthorized } from '../http/unauthorized.js';
import type {
  ApiKey,
  ApiKeyList,
  CreatedApiKey,
  CreateKeyRequest,
  RotatedApiKey,
  RotateKeyRequest,
} from './keys.dto.js';

/** Changes of keys that an account may make at this gateway: each is recorded for ever, and tells all gateways. */
export const KEY_CHANGES = { perSecond: 0.2, burst: 20, ownersMax: 10_000 };
const KEY_ID = /^[0-9a-z]{8}$/;

/** USE CASE: the owner of an account manages its API keys, with one of them that has the scope `manage`. */
@Injectable()
export class ManageKeys {
  private readonly changes = new TokenBuckets(KEY_CHANGES);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeys,
  ) {}

  async list(request: AuthenticatedRequest, query: PageQuery): Promise<ApiKeyList> {
    const { page, limit } = effectivePage(query);
    const { items, total } = await apiKeysPage(this.database, accountOf(request).accountId, page, limit);
    return { data: items.map(shown), pagination: Pagination.of(page, limit, total) };
  }

  async show(request: AuthenticatedRequest, keyId: string): Promise<ApiKey> {
    const { accountId } = accountOf(request);
    const key = KEY_ID.test(keyId) ? await findApiKey(this.database, accountId, keyId) : undefined;
    if (key === undefined) throw noSuchKey();
    return shown(key);
  }

  create(request: AuthenticatedRequest, body: CreateKeyRequest): Promise<CreatedApiKey> {
    const { name, scopes, networks, expiresAt, test } = body;
    return this.change(request, async (manager) => {
      const wanted = { name, scopes, isTest: test, ...(networks && { networks }), ...momentOf(expiresAt) };
      const { apiKey, created } = await addApiKey(this.database, manager.accountId, wanted, manager);
      return { ...shown(created), apiKey };
    });
  }

  rename(request: AuthenticatedRequest, keyId: string, name: string): Promise<ApiKey> {
    return this.change(
      request,
      async (manager) => shown(await renameApiKey(this.database, keyId, name, manager)),
      keyId,
    );
  }

  revoke(request: AuthenticatedRequest, keyId: string): Promise<ApiKey> {
    return this.change(request, async (manager) => shown(await revokeApiKey(this.database, keyId, manager)), keyId);
  }

  rotate(request: AuthenticatedRequest, keyId: string, body: RotateKeyRequest): Promise<RotatedApiKey> {
    const { overlapSeconds, expiresAt } = body;
    const rotation = { overlapSeconds, expiresAt: expiresAt == null ? expiresAt : new Date(expiresAt) };
    return this.change(
      request,
      async (manager) => {
        const { apiKey, created, replaced } = await rotateApiKey(this.database, keyId, rotation, manager);
        return { ...shown(created), apiKey, replacedKey: shown(replaced) };
      },
      keyId,
    );
  }

  /** @throws Problem when the change is refused, or too many were made */
  private async change<Result>(
    request: AuthenticatedRequest,
    work: (manager: KeyManager) => Promise<Result>,
    keyId?: string,
  ): Promise<Result> {
    const manager = managerOf(request);
    const { accountId } = manager;
    if (keyId !== undefined && !KEY_ID.test(keyId)) throw noSuchKey();
    const waitMs = this.changes.take(accountId);
    if (waitMs > 0)
      throw rateLimited('This account has changed its keys too often.', 'key-changes', KEY_CHANGES, waitMs);
    try {
      const result = await work(manager);
      // The other gateways hear of it; this one must not answer by what it knew before.
      this.keys.forget(accountId);
      this.keys.forget(sandboxOf(accountId));
      return result;
    } catch (error) {
      if (error instanceof KeyRefused) throw problemFrom(error);
      // The account was closed meanwhile, or the life that a new key takes over ended just now.
      if (error instanceof OperatorError) throw new Problem('invalid_request', `Not possible: ${error.message}.`);
      throw error;
    }
  }
}

/** Nothing: by default; null: never. */
function momentOf(text: string | null | undefined): { readonly expiresAt?: Date | undefined } {
  if (text === undefined) return {};
  return { expiresAt: text === null ? undefined : new Date(text) };
}

function problemFrom({ refusal, settings }: KeyRefused): Problem {
  switch (refusal) {
    case 'no_such_key':
      return noSuchKey();
    case 'manager_ended':
      return unauthorized('The API key is not valid.');
    case 'key_ended':
      return new Problem('key_ended', 'This key is revoked or has expired. Make a new one.');
    case 'too_many_keys':
      return new Problem('too_many_keys', `An account may have ${ACTIVE_KEYS_MAX} active keys. Revoke one first.`);
    case 'last_manage_key':
      return new Problem(
        'last_manage_key',
        'No other key with the scope `manage` works as long as this one. Make or rotate one first, or ask the operator.',
      );
    case 'exceeds_own_key':
      return problemOf(
        settings.map((field) => ({
          field,
          code: 'exceeds_own_key',
          detail: `A key cannot give more than it has: ${field} goes beyond the key of this request.`,
        })),
      );
    default:
      throw new Error(`unreachable: ${refusal satisfies never}`);
  }
}

function noSuchKey(): Problem {
  return new Problem('not_found', 'This account has no key with this id.');
}

function shown(key: ApiKeyOverview): ApiKey {
  return {
    keyId: key.keyId,
    name: key.name,
    test: key.isTest,
    scopes: key.scopes,
    networks: key.networks,
    status: key.status,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    revokedAt: key.revokedAt ?? null,
  };
}
