import { Injectable } from '@nestjs/common';
import { Database, isApiKey, type KeyHolder } from '#persistence';
import { KeyLookUps } from './key-look-ups.js';

/** How long a key is trusted without asking the database; an operator's change takes effect at once. */
const KEY_TRUSTED_MS = 5_000;
const KEYS_CACHED_MAX = 20_000;
const UNKNOWN_KEYS_CACHED_MAX = 10_000;

interface CachedHolder {
  readonly holder: KeyHolder;
  /** When it is looked up again. */
  expiresMs: number;
}

/** Finds the account of an API key: in memory, or else in the database. */
@Injectable()
export class ApiKeys {
  private readonly valid = new Map<string, CachedHolder>();
  private readonly unknown = new Map<string, number>();
  private readonly lookUps: KeyLookUps;

  constructor(database: Database) {
    this.lookUps = new KeyLookUps(database);
  }

  /**
   * The holder, or undefined when the key is malformed, unknown or revoked; known at once, or promised.
   *
   * @param isBackground a page asks by itself; it may wait a moment, so that more keys share a query
   * @throws Overloaded when too many keys wait to be looked up
   */
  holderOf(apiKey: string, isBackground = false): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const nowMs = performance.now();
    const hit = this.valid.get(apiKey);
    if (hit !== undefined && hit.expiresMs > nowMs) return hit.holder;
    const unknownUntilMs = this.unknown.get(apiKey);
    if (unknownUntilMs !== undefined && unknownUntilMs > nowMs) return undefined;
    if (!isApiKey(apiKey)) return undefined;
    const line = hit === undefined ? 'firstTime' : isBackground ? 'inBackground' : 'again';
    return this.lookUps.find(apiKey, line, (holder) => this.keep(apiKey, holder));
  }

  /** Accounts or keys have changed: all, or those of one account. */
  forget(accountId?: string): void {
    this.lookUps.forget();
    if (accountId === undefined) this.unknown.clear();
    // They stay in memory, and are looked up again in the line of keys that were valid.
    for (const cached of this.valid.values()) {
      if (accountId === undefined || cached.holder.accountId === accountId) cached.expiresMs = 0;
    }
  }

  private keep(apiKey: string, holder: KeyHolder | undefined): void {
    const expiresMs = performance.now() + KEY_TRUSTED_MS;
    this.valid.delete(apiKey);
    this.unknown.delete(apiKey);
    if (holder === undefined) setNewest(this.unknown, apiKey, expiresMs, UNKNOWN_KEYS_CACHED_MAX);
    else setNewest(this.valid, apiKey, { holder, expiresMs }, KEYS_CACHED_MAX);
  }
}

/** Drops the key that was looked up longest ago if there is no room. */
function setNewest<Value>(cache: Map<string, Value>, apiKey: string, value: Value, entriesMax: number): void {
  const [oldest] = cache.keys();
  if (oldest !== undefined && cache.size >= entriesMax) cache.delete(oldest);
  cache.set(apiKey, value);
}
