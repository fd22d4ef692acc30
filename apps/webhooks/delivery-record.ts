import { disableReceiver, recordAttempt, retryAtOnce } from '#persistence';
import { tryAgain } from '#timing';
import { retryDelayMs } from '#webhooks';
import type { DeliveryDependencies } from './delivery-dependencies.js';
import type { DeliveryWindow } from './delivery-window.js';
import type { FailingTime } from './failing-time.js';
import type { Answer } from './receiver.js';
import type { RepeatedEvent } from './repeated-events.js';

const UNTIL_STORED = { giveUpAfterMs: Number.POSITIVE_INFINITY, waitMs: 1_000 };

/** An event that was sent. One that was sent before has its row in `webhook_retry`. */
export type SentEvent = RepeatedEvent & { readonly isProbe?: boolean };

/** Why a webhook has to be disabled, and the address that gave the reason. */
export interface Disabling {
  readonly reason: 'gone' | 'failing';
  readonly url: string;
}

/** Stores what became of the events of one webhook, and what follows from it. */
export class DeliveryRecord {
  constructor(
    private readonly endpointId: string,
    private readonly dependencies: DeliveryDependencies,
    private readonly window: DeliveryWindow,
    private readonly failing: FailingTime,
  ) {}

  async arrived(event: SentEvent, answer: Answer): Promise<void> {
    const { database, metrics, now } = this.dependencies;
    const wasResting = this.failing.isResting;
    if (event.isStored) await this.record(event, answer, 'delivered', undefined);
    if (wasResting) {
      await retryAtOnce(database, this.endpointId, new Date(now()));
      this.window.restart();
    }
    this.window.succeeded(answer.durationMs);
    this.failing.succeeded(now());
    metrics.attempts.inc({ outcome: 'delivered' });
    metrics.attemptSeconds.observe(answer.durationMs / 1_000);
    // A replay is of long ago.
    if (event.kind === 'event' && event.attempts === 0) {
      metrics.eventSeconds.observe(Math.max(0, now() - event.at.getTime()) / 1_000);
    }
  }

  /**
   * @param url that has answered
   * @returns undefined: the webhook goes on
   */
  async failed(event: SentEvent, answer: Answer, url: string): Promise<Disabling | undefined> {
    const { now, metrics } = this.dependencies;
    const isGone = answer.httpStatus === 410;
    const attempts = event.attempts + (event.isProbe ? 0 : 1);
    const isOverloaded = answer.isTimeout || answer.httpStatus === 429;
    const planned = event.isProbe
      ? this.failing.nextProbeAtMs - now()
      : retryDelayMs({ attempts, retryAfterMs: answer.retryAfterMs, isOverloaded });
    const delayMs = event.kind === 'test' ? undefined : isGone ? 0 : planned;
    const dueAt = delayMs === undefined ? undefined : new Date(now() + delayMs);
    const isGivenUp = dueAt === undefined && event.kind !== 'test';
    await this.record({ ...event, attempts: attempts - 1 }, answer, isGivenUp ? 'given_up' : 'failed', dueAt);
    metrics.attempts.inc({ outcome: isGivenUp ? 'given_up' : 'failed' });
    metrics.attemptSeconds.observe(answer.durationMs / 1_000);
    this.window.failed();
    this.failing.failed(answer.error ?? '', now());
    if (isGone) return { reason: 'gone', url };
    return this.failing.isOverLong(now()) ? { reason: 'failing', url } : undefined;
  }

  /**
   * @param save stores its place, behind which it goes on if its owner enables it again
   * @returns false when its owner has given it another address meanwhile, or has disabled it
   */
  async disable(accountId: string, { reason, url }: Disabling, save: () => Promise<void>): Promise<boolean> {
    const { database, log, metrics } = this.dependencies;
    await save();
    if (!(await disableReceiver(database, this.endpointId, reason, url))) return false;
    metrics.disabled.inc({ reason });
    const why = reason === 'gone' ? 'its receiver answered 410' : 'nothing has succeeded for 5 days';
    log.warn({ endpointId: this.endpointId, accountId }, `a webhook is disabled: ${why}`);
    return true;
  }

  /** Waits while the database is away; false if the delivery was stopped meanwhile. */
  untilStored(work: () => Promise<void>, isStopped: () => boolean): Promise<boolean> {
    const mayRetry = (err: unknown) => {
      if (isStopped()) return false;
      this.dependencies.log.warn({ err }, 'could not record a delivery; trying again');
      return true;
    };
    return tryAgain(work, mayRetry, UNTIL_STORED).then(
      () => true,
      () => false,
    );
  }

  private record(
    event: SentEvent,
    { httpStatus, error, durationMs }: Answer,
    outcome: 'delivered' | 'failed' | 'given_up',
    dueAt: Date | undefined,
  ): Promise<void> {
    const { batchId, index, type, kind, attempts } = event;
    const what = { endpointId: this.endpointId, batchId, index, type, kind, attempt: attempts + 1, outcome };
    const at = new Date(this.dependencies.now());
    return recordAttempt(
      this.dependencies.database,
      { ...what, at, httpStatus, error, durationMs, nextAttemptAt: dueAt },
      dueAt,
    );
  }
}
