import { setTimeout as delay } from 'node:timers/promises';
import { Coalescer, Overloaded } from '#batching';
import type { Config } from '#config';
import {
  type AcceptRequest,
  type AcceptVerdict,
  acceptMessages,
  type Database,
  failureKind,
  isPoison,
} from '#persistence';
import { Problem } from '../http/problem.js';
import type { GatewayMetrics } from '../operator/gateway-metrics.js';

/** Requests in one commit: more gain little and make the first one wait. */
const COMMIT_REQUESTS_MAX = 256;
/** Messages in one commit, so that one batch more does not make everybody wait for a second one. */
const COMMIT_MESSAGES_MAX = 2_000;
/** Characters that may wait in all lanes together. */
const PENDING_CHARACTERS_MAX = 64 * 1024 * 1024;
const RETRY_AFTER_MS = 50;

/**
 * Group commit, a lane for each account: while one commit of an account is under way, its next requests gather. Lanes of
 * different accounts do not wait for each other.
 */
export class AcceptLanes {
  private readonly lanes = new Map<string, Coalescer<AcceptRequest, AcceptVerdict>>();
  private pendingRequests = 0;
  private pendingCharacters = 0;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly metrics: GatewayMetrics,
  ) {}

  /**
   * Resolves once the request is durable, or refused.
   *
   * @throws Overloaded when too much waits or it waited too long; nothing was charged
   * @throws Problem `unavailable` when the database did not answer in time; only then is the outcome unknown
   */
  async accept(accountId: string, request: AcceptRequest): Promise<AcceptVerdict> {
    const characters = request.messages.reduce((sum, { message }) => sum + message.length, 0);
    if (
      this.pendingRequests >= this.config.ACCEPT_PENDING_MAX ||
      (this.pendingCharacters > 0 && this.pendingCharacters + characters > PENDING_CHARACTERS_MAX)
    ) {
      throw new Overloaded(1);
    }
    this.pendingRequests += 1;
    this.pendingCharacters += characters;
    try {
      return await this.lane(accountId).add(request);
    } finally {
      this.pendingRequests -= 1;
      this.pendingCharacters -= characters;
      if (this.lanes.get(accountId)?.isIdle) this.lanes.delete(accountId);
    }
  }

  /** Resolves when everything that was taken on has been answered. */
  async drain(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.drain()));
  }

  private lane(accountId: string): Coalescer<AcceptRequest, AcceptVerdict> {
    const existing = this.lanes.get(accountId);
    if (existing !== undefined) return existing;
    const lane = new Coalescer<AcceptRequest, AcceptVerdict>((requests) => this.commit(accountId, requests), {
      itemsMax: COMMIT_REQUESTS_MAX,
      weightMax: COMMIT_MESSAGES_MAX,
      weigh: ({ messages }) => messages.length,
      waitMaxMs: this.config.ACCEPT_WAIT_MAX_MS,
      isPoison,
    });
    this.lanes.set(accountId, lane);
    return lane;
  }

  /** One commit; tried again with the same ids while the database is away, which makes the answer exact. */
  private async commit(accountId: string, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
    const startMs = performance.now();
    let again = false;
    for (;;) {
      try {
        const verdicts = await acceptMessages(this.database, accountId, requests, again, {
          validitySeconds: this.config.MESSAGE_VALIDITY_SECONDS,
          sweepAfterSeconds: this.config.SWEEP_AFTER_SECONDS,
        });
        this.metrics.commitRequests.observe(requests.length);
        this.metrics.commitSeconds.observe((performance.now() - startMs) / 1_000);
        return verdicts;
      } catch (error) {
        const kind = failureKind(error);
        if (kind === 'poison') throw error;
        again ||= kind === 'unavailable';
        if (performance.now() - startMs > this.config.ACCEPT_WAIT_MAX_MS) throw this.unanswered(again);
        await delay(RETRY_AFTER_MS);
      }
    }
  }

  private unanswered(outcomeIsUnknown: boolean): Error {
    if (!outcomeIsUnknown) return new Overloaded(1);
    return new Problem(
      'unavailable',
      'The database did not answer in time, so it is not known whether this was accepted. Send it again with the same ' +
        'Idempotency-Key: it is accepted at most once.',
      { headers: { 'retry-after': '1' } },
    );
  }
}
