import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, retainNextSlice } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { BOUNDS, LOG } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';

export interface RetentionBounds {
  /** Between two rounds over the accounts, and before the operator's settings are looked at again. */
  readonly roundEveryMs: number;
  /** Texts, numbers and messages in one transaction: it locks them. */
  readonly sliceMessagesMax: number;
}

export const RETENTION: RetentionBounds = { roundEveryMs: 60_000, sliceMessagesMax: 500 };
/** Before all accounts: those of sandboxes are negative. */
const NONE = '-9223372036854775808';

/**
 * USE CASE: drops what is older than the operator wants to keep (`smsctl retention`). It works slice after slice, and
 * after each slice it rests as long as the slice took, so it uses at most half of one connection. Every worker runs it;
 * the database lets one at a time.
 */
@Injectable()
export class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly bounds: RetentionBounds;
  private readonly slices: PeriodicWork;
  private afterAccountId = NONE;

  constructor(
    private readonly database: Database,
    private readonly metrics: WorkerMetrics,
    @Inject(LOG) log: Logger,
    @Inject(BOUNDS) bounds: { readonly retention?: RetentionBounds },
  ) {
    this.bounds = bounds.retention ?? RETENTION;
    this.slices = new PeriodicWork(
      this.bounds.roundEveryMs,
      () => this.step(),
      (error) => log.warn({ err: error }, 'could not drop what retention is over for; trying again'),
    );
  }

  onApplicationBootstrap(): void {
    this.slices.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.slices.stop();
  }

  /** One slice; returns how long to rest. */
  private async step(): Promise<number> {
    const startMs = performance.now();
    const { sliceMessagesMax, roundEveryMs } = this.bounds;
    const slice = await retainNextSlice(this.database, this.afterAccountId, sliceMessagesMax);
    const tookMs = performance.now() - startMs;
    if (slice.accountId === undefined) {
      this.afterAccountId = NONE;
      return roundEveryMs;
    }
    this.metrics.retained.inc({ what: 'texts' }, slice.texts);
    this.metrics.retained.inc({ what: 'numbers' }, slice.numbers);
    this.metrics.retained.inc({ what: 'messages' }, slice.messages);
    this.metrics.retentionSeconds.observe(tookMs / 1_000);
    // A full slice: there is more of this account. Else the next one, also when somebody works on what would be next.
    if (!slice.isFull) this.afterAccountId = slice.accountId;
    return tookMs;
  }
}
