import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Database, findKeyHolder, type KeyHolder } from '#persistence';
import { Problem } from './problem.js';

/** How long a key is trusted without asking the database; a change announced by an operator takes effect at once. */
const KEY_TRUSTED_MS = 5_000;
const KEYS_CACHED_MAX = 20_000;
/** Longer than any key; what is longer is not worth remembering. */
const KEY_LENGTH_MAX = 100;

interface CachedHolder {
  readonly holder: Promise<KeyHolder | undefined>;
  readonly expiresMs: number;
}

/** Knows the account behind an API key. */
export class ApiKeys {
  private readonly cached = new Map<string, CachedHolder>();

  constructor(private readonly database: Database) {}

  holderOf(apiKey: string): Promise<KeyHolder | undefined> {
    if (apiKey.length > KEY_LENGTH_MAX) return Promise.resolve(undefined);
    const nowMs = performance.now();
    const hit = this.cached.get(apiKey);
    if (hit !== undefined && hit.expiresMs > nowMs) return hit.holder;
    if (this.cached.size >= KEYS_CACHED_MAX) this.cached.clear();
    const holder = findKeyHolder(this.database, apiKey);
    this.cached.set(apiKey, { holder, expiresMs: nowMs + KEY_TRUSTED_MS });
    // A failed look-up says nothing about the key.
    holder.catch(() => this.cached.delete(apiKey));
    return holder;
  }

  /** Something about accounts or keys has changed. */
  forget(): void {
    this.cached.clear();
  }
}

export interface AuthenticatedRequest extends FastifyRequest {
  account?: KeyHolder;
}

/**
 * Finds out who calls before the body is read, so that nobody without a key can make the service parse megabytes. The
 * answer is the same for a missing, unknown and revoked key.
 */
export function authenticate(keys: ApiKeys) {
  return async (request: AuthenticatedRequest, _reply: FastifyReply): Promise<void> => {
    // By the route as well: `/%76%31/account` is the path of one.
    if (!isOfAccounts(request.url) && !isOfAccounts(request.routeOptions.url)) return;
    const apiKey = request.headers['x-authorization'];
    const account = typeof apiKey === 'string' ? await keys.holderOf(apiKey) : undefined;
    if (account === undefined) {
      throw new Problem('unauthorized', 'Send the API key of an account in the X-Authorization header.', {
        headers: { 'www-authenticate': 'ApiKey realm="heliograph", header="X-Authorization"' },
      });
    }
    if (account.suspended) throw new Problem('account_suspended', 'This account is suspended. Ask the operator.');
    request.account = account;
  };
}

function isOfAccounts(path: string | undefined): boolean {
  return path !== undefined && (path.startsWith('/v1/') || path === '/v1');
}
