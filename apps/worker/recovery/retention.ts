import { type Database, retainNextSlice } from '#persistence';
import type { Logger } from '#telemetry';
import type { WorkerMetrics } from '../operations/worker-metrics.js';

export interface RetentionBounds {
  /** Between two rounds over the accounts, and before the operator's settings are looked at again. */
  readonly roundEveryMs: number;
  /** Texts and messages in one transaction: it locks them. */
  readonly sliceMessagesMax: number;
}

export const RETENTION: RetentionBounds = { roundEveryMs: 60_000, sliceMessagesMax: 500 };
/** The account before the first one. */
const NONE = '0';

/**
 * USE CASE: drops what is older than the operator wants to keep (`smsctl retention`). Slice after slice, and after each it
 * rests as long as that took, so that it has at most half of one connection. Every worker runs it; the database lets one at a time.
 */
export class Retention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  private afterAccountId = NONE;

  constructor(
    private readonly database: Database,
    private readonly metrics: WorkerMetrics,
    private readonly log: Logger,
    private readonly bounds: RetentionBounds = RETENTION,
  ) {}

  start(waitMs = this.bounds.roundEveryMs): void {
    this.timer = setTimeout(() => {
      this.running = this.step()
        .catch((error: unknown) => {
          this.log.warn({ err: error }, 'could not drop what retention is over for; trying again');
          return this.bounds.roundEveryMs;
        })
        .then((restMs) => {
          if (!this.isStopped) this.start(restMs);
        });
    }, waitMs);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** One slice; returns how long to rest. */
  private async step(): Promise<number> {
    const startedAt = performance.now();
    const { sliceMessagesMax, roundEveryMs } = this.bounds;
    const slice = await retainNextSlice(this.database, this.afterAccountId, sliceMessagesMax);
    const tookMs = performance.now() - startedAt;
    if (slice.accountId === undefined) {
      this.afterAccountId = NONE;
      return roundEveryMs;
    }
    this.metrics.retained.inc({ what: 'texts' }, slice.texts);
    this.metrics.retained.inc({ what: 'messages' }, slice.messages);
    this.metrics.retentionSeconds.observe(tookMs / 1_000);
    // A full slice: there is more of this account. Else the next one, also when somebody works on what would be next.
    const isFull = slice.texts === sliceMessagesMax || slice.messages === sliceMessagesMax;
    if (!isFull) this.afterAccountId = slice.accountId;
    return tookMs;
  }
}
