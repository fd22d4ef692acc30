import { Injectable } from '@nestjs/common';
import { Database, isApiKey, type KeyHolder } from '#persistence';
import { KeyLookUps } from './key-look-ups.js';

/** How long a key is trusted without asking the database; an operator's change takes effect at once. */
const KEY_TRUSTED_MS = 5_000;
/**
 * A key in use is looked up again this long before its time is over, together with others: 1,000 accounts that send
 * all the time would be hundreds of queries a second, each with a request that waits for it.
 */
const REFRESHED_BEFORE_MS = { from: 2_000, to: 250 };
const KEYS_CACHED_MAX = 20_000;
const UNKNOWN_KEYS_CACHED_MAX = 10_000;

/** What a key was found to be; unknown keys have no holder. */
interface CachedKey {
  readonly holder: KeyHolder | undefined;
  /** When nobody may use it any more without asking. */
  expiresMs: number;
  /** It is looked up again before that. */
  isRefreshed: boolean;
}

/** Finds the account of an API key: in memory, or else in the database. */
@Injectable()
export class ApiKeys {
  private readonly valid = new Map<string, CachedKey>();
  private readonly unknown = new Map<string, CachedKey>();
  private readonly lookUps = new KeyLookUps(this.database);

  constructor(private readonly database: Database) {}

  /**
   * The holder, or undefined when the key is malformed, unknown or revoked; known at once, or promised.
   *
   * @param isBackground a page asks by itself; it may wait a moment, so that more keys share a query
   * @throws Overloaded when too many keys wait to be looked up
   */
  holderOf(apiKey: string, isBackground = false): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const hit = this.valid.get(apiKey) ?? this.unknown.get(apiKey);
    const leftMs = hit === undefined ? 0 : hit.expiresMs - performance.now();
    if (hit !== undefined && leftMs > 0) {
      const { from, to } = REFRESHED_BEFORE_MS;
      if (leftMs < from && leftMs > to && hit.holder !== undefined && !hit.isRefreshed) this.refresh(apiKey, hit);
      return hit.holder;
    }
    if (!isApiKey(apiKey)) return undefined;
    const line = hit?.holder === undefined ? 'firstTime' : isBackground ? 'inBackground' : 'again';
    return this.lookUp(apiKey, line);
  }

  /** Accounts or keys have changed: all, or those of one account. */
  forget(accountId?: string): void {
    this.lookUps.forget();
    if (accountId === undefined) this.unknown.clear();
    // They stay in memory, and are looked up again in the line of keys that were valid.
    for (const cached of this.valid.values()) {
      if (accountId === undefined || cached.holder?.accountId === accountId) cached.expiresMs = 0;
    }
  }

  private refresh(apiKey: string, hit: CachedKey): void {
    hit.isRefreshed = true;
    // If that fails, the next request that comes after the key's time asks again.
    this.lookUp(apiKey, 'inBackground').catch(() => undefined);
  }

  private lookUp(apiKey: string, line: Parameters<KeyLookUps['find']>[1]): Promise<KeyHolder | undefined> {
    return this.lookUps.find(apiKey, line, (holder) => this.keep(apiKey, holder));
  }

  private keep(apiKey: string, holder: KeyHolder | undefined): void {
    this.valid.delete(apiKey);
    this.unknown.delete(apiKey);
    const [keys, keysMax] = holder ? [this.valid, KEYS_CACHED_MAX] : [this.unknown, UNKNOWN_KEYS_CACHED_MAX];
    // The one that was looked up longest ago.
    const [oldest] = keys.keys();
    if (oldest !== undefined && keys.size >= keysMax) keys.delete(oldest);
    keys.set(apiKey, { holder, expiresMs: performance.now() + KEY_TRUSTED_MS, isRefreshed: false });
  }
}
