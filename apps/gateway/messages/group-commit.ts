import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer, Overloaded, SET_ASIDE } from '#batching';
import type { Config } from '#config';
import { type AcceptVerdict, acceptMessages, Database, failureKind, isLockTimeout, isPoison } from '#persistence';
import { unanswered } from '../http/unanswered.js';
import { CONFIG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { EnqueueOrders, type RoutedRequest } from './enqueue-orders.js';

/** Requests in one commit: more gain little and make the first one wait. */
const COMMIT_REQUESTS_MAX = 256;
/** Messages in one commit, so that one batch more does not make everybody wait for a second one. */
const COMMIT_MESSAGES_MAX = 2_000;
/** A bigger batch has a commit of its own: 1,000 messages take the database some 25 ms. */
const SHARED_BATCH_MAX = 200;
/** Characters that may wait together. */
const PENDING_CHARACTERS_MAX = 64 * 1024 * 1024;
const RETRY_AFTER_MS = 50;

/** What a send is answered; one whose account is held waits for another commit. */
export type Verdict = Exclude<AcceptVerdict, { kind: 'held' }>;

interface Item {
  readonly accountId: string;
  readonly request: RoutedRequest;
  /** An earlier call with it was cut off and may have committed. */
  again: boolean;
}

/**
 * Group commit: while one commit is in flight, the requests of all accounts gather for the next one (ADR 27).
 *
 * An account whose balance another transaction holds delays the requests of its commit by the lock timeout of
 * `accept_messages()`, 150 ms. After that it waits by itself.
 */
@Injectable()
export class GroupCommit implements OnApplicationShutdown {
  private readonly coalescer = new Coalescer<Item, Verdict>((items) => this.commit(items), {
    itemsMax: COMMIT_REQUESTS_MAX,
    weightMax: COMMIT_MESSAGES_MAX,
    weigh: ({ request }) => request.messages.length,
    sharedWeightMax: SHARED_BATCH_MAX,
    asideMax: Math.max(1, this.config.DATABASE_POOL_SIZE >> 2),
    waitMaxMs: this.config.ACCEPT_WAIT_MAX_MS,
    isPoison,
    startsBeforeTelling: true,
  });
  private pendingRequests = 0;
  private pendingCharacters = 0;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: GatewayMetrics,
    private readonly queue: EnqueueOrders,
  ) {}

  /**
   * Resolves once the request is durable, or refused.
   *
   * @throws Overloaded when too much waits or it waited too long; nothing was charged
   * @throws Problem `unavailable` when the database did not answer in time; only then is the outcome unknown
   */
  async accept(accountId: string, request: RoutedRequest): Promise<Verdict> {
    const characters = request.messages.reduce((sum, { message }) => sum + message.length, 0);
    if (
      this.pendingRequests >= this.config.ACCEPT_PENDING_MAX ||
      (this.pendingCharacters > 0 && this.pendingCharacters + characters > PENDING_CHARACTERS_MAX)
    ) {
      throw new Overloaded(1);
    }
    const item = { accountId, request, again: false };
    this.pendingRequests += 1;
    this.pendingCharacters += characters;
    try {
      return await this.coalescer.add(item, accountId);
    } catch (error) {
      throw item.again && error instanceof Overloaded ? unanswered() : error;
    } finally {
      this.pendingRequests -= 1;
      this.pendingCharacters -= characters;
    }
  }

  /** By now all requests have been answered, except those whose clients have left. */
  onApplicationShutdown(): Promise<void> {
    return this.coalescer.drain();
  }

  /** One commit; tried again with the same ids while the database is away, which makes the answer exact. */
  private async commit(items: readonly Item[]): Promise<(Verdict | typeof SET_ASIDE)[]> {
    const { MESSAGE_VALIDITY_SECONDS: validitySeconds, SWEEP_AFTER_SECONDS: sweepAfterSeconds } = this.config;
    const settings = { validitySeconds, sweepAfterSeconds };
    const startMs = performance.now();
    let verdicts: AcceptVerdict[] | undefined;
    let skipsHeld = false;
    while (verdicts === undefined) {
      try {
        const again = items.some((item) => item.again);
        verdicts = await acceptMessages(this.database, items, settings, again, skipsHeld);
      } catch (error) {
        const kind = failureKind(error);
        if (kind === 'poison') throw error;
        if (kind === 'unavailable') for (const item of items) item.again = true;
        const isHeld = isLockTimeout(error);
        const isOfOneAccount = items.every(({ accountId }) => accountId === items[0]?.accountId);
        if (isHeld && isOfOneAccount) return items.map(() => SET_ASIDE);
        if (performance.now() - startMs > this.config.ACCEPT_WAIT_MAX_MS) throw new Overloaded(1);
        if (isHeld && !skipsHeld) skipsHeld = true;
        else await delay(RETRY_AFTER_MS);
      }
    }
    this.metrics.commitRequests.observe(items.length);
    this.metrics.commitSeconds.observe((performance.now() - startMs) / 1_000);
    const accepted = items.filter((_, index) => verdicts[index]?.kind === 'accepted');
    this.queue.enqueue(accepted.map(({ request }) => request));
    return verdicts.map((verdict) => (verdict.kind === 'held' ? SET_ASIDE : verdict));
  }
}
