import { Injectable } from '@nestjs/common';
import { Database, isApiKey, type KeyHolder } from '#persistence';
import { KeyLookUps } from './key-look-ups.js';

/** How long a key is trusted without asking the database; an operator's change takes effect at once. */
const KEY_TRUSTED_MS = 5_000;
/** At this age a key in use is looked up beside its requests, so that none of them waits for that. */
const REFRESHED_MS = { from: 3_000, to: 4_750 };
const CACHED_MAX = { valid: 20_000, unknown: 10_000 };

/** What a key was found to be; unknown keys have no holder. */
interface CachedKey {
  readonly holder: KeyHolder | undefined;
  foundMs: number;
}

/** Finds the account of an API key: in memory, or else in the database. */
@Injectable()
export class ApiKeys {
  private readonly valid = new Map<string, CachedKey>();
  private readonly unknown = new Map<string, CachedKey>();
  private readonly lookUps = new KeyLookUps(this.database, (apiKey, holder) => this.keep(apiKey, holder));

  constructor(private readonly database: Database) {}

  /**
   * The holder, or undefined when the key is malformed, unknown or revoked; known at once, or promised.
   *
   * @param isBackground a page asks by itself; it may wait a moment, so that more keys share a query
   * @throws Overloaded when too many keys wait to be looked up
   */
  holderOf(apiKey: string, isBackground = false): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const hit = this.valid.get(apiKey) ?? this.unknown.get(apiKey);
    const ageMs = performance.now() - (hit?.foundMs ?? Number.NEGATIVE_INFINITY);
    if (hit !== undefined && ageMs < KEY_TRUSTED_MS) {
      if (hit.holder && ageMs > REFRESHED_MS.from && ageMs < REFRESHED_MS.to) this.lookUps.refresh(apiKey);
      return hit.holder;
    }
    if (!isApiKey(apiKey)) return undefined;
    const line = hit?.holder === undefined ? 'firstTime' : isBackground ? 'inBackground' : 'again';
    return this.lookUps.find(apiKey, line);
  }

  /** Accounts or keys have changed: all, or those of one account. */
  forget(accountId?: string): void {
    this.lookUps.forget();
    if (accountId === undefined) this.unknown.clear();
    // They stay in memory, and are looked up again in the line of keys that were valid.
    for (const cached of this.valid.values()) {
      if (accountId === undefined || cached.holder?.accountId === accountId) cached.foundMs = Number.NEGATIVE_INFINITY;
    }
  }

  private keep(apiKey: string, holder: KeyHolder | undefined): void {
    this.valid.delete(apiKey);
    this.unknown.delete(apiKey);
    const [keys, keysMax] = holder ? [this.valid, CACHED_MAX.valid] : [this.unknown, CACHED_MAX.unknown];
    // The one that was looked up longest ago.
    const [oldest] = keys.keys();
    if (oldest !== undefined && keys.size >= keysMax) keys.delete(oldest);
    keys.set(apiKey, { holder, foundMs: performance.now() });
  }
}
