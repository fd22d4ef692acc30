import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer, type CoalescerLimits } from '#batching';
import { type AcceptRequest, Database, NOT_ROUTED, putInBacklog } from '#persistence';
import { DispatchQueues } from '#queue';
import type { Logger } from '#telemetry';
import { waitAtMost } from '#timing';
import { LOG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';

/** A send whose single message goes on the queue of a carrier, or which waits in the backlog of its account. */
export interface SendRequest extends AcceptRequest {
  readonly carrier?: string;
}

const LIMITS: CoalescerLimits<readonly string[]> = {
  itemsMax: 1_000,
  weightMax: 2_000,
  weigh: (ids) => ids.length,
  pendingMax: 2_000,
  // A job costs the queue about as much as fifty orders do, so fewer and fuller ones; a send after a pause is enqueued at once.
  gatherMs: 10,
};
/** How long a gateway that stops tries to enqueue. */
const DRAIN_MAX_MS = 3_000;

/**
 * Puts accepted orders on the queue of their carrier, after their commit and without making the client wait; of orders that were
 * accepted into a backlog it tells the feeders. What the queue does not take goes into the backlog; a gateway that ends before that
 * loses nothing, because every order has a deadline.
 */
@Injectable()
export class EnqueueOrders implements OnApplicationShutdown {
  /** By carrier. */
  private readonly enqueues = new Map<string, Coalescer<readonly string[], undefined>>();
  private readonly wakes: Coalescer<true, undefined>;
  private failedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly queues: DispatchQueues,
    private readonly database: Database,
    @Inject(LOG) private readonly log: Logger,
    private readonly metrics: GatewayMetrics,
  ) {
    this.wakes = new Coalescer(
      async (wakes) => {
        await queues.wakeFeeder();
        return wakes.map(() => undefined);
      },
      { itemsMax: 1_000, pendingMax: 1_000, gatherMs: 10 },
    );
  }

  /** Whether the queue took nothing a moment ago. */
  get isQueueAway(): boolean {
    return performance.now() - this.failedMs < 1_000;
  }

  /** @param requests those that one commit has accepted */
  enqueue(requests: readonly SendRequest[]): void {
    const ids = new Map<string, string[]>();
    for (const { carrier, messages } of requests) {
      if (carrier === undefined) continue;
      const known = ids.get(carrier);
      if (known === undefined)
        ids.set(
          carrier,
          messages.map(({ id }) => id),
        );
      else known.push(...messages.map(({ id }) => id));
    }
    for (const [carrier, some] of ids) this.add(carrier, some);
    // Feeders look for backlogs by themselves, only later.
    if (requests.some(({ carrier }) => carrier === undefined)) this.wakes.add(true).catch(() => undefined);
  }

  /** Resolves when what was accepted is on its queue, or in its backlog; deadlines bring back the rest. */
  async onApplicationShutdown(): Promise<void> {
    const drained = Promise.all([...this.enqueues.values()].map((enqueues) => enqueues.drain()));
    await waitAtMost(DRAIN_MAX_MS, drained);
  }

  private add(carrier: string, ids: readonly string[]): void {
    let enqueues = this.enqueues.get(carrier);
    if (enqueues === undefined) {
      enqueues = new Coalescer((commits) => this.write(carrier, commits), LIMITS);
      this.enqueues.set(carrier, enqueues);
    }
    enqueues.add(ids).catch((error: unknown) => {
      this.metrics.enqueueFailures.inc(ids.length);
      this.warn(error);
    });
  }

  private async write(carrier: string, commits: readonly (readonly string[])[]): Promise<undefined[]> {
    const ids = commits.flat();
    try {
      await this.queues.enqueue(carrier, [{ priority: 'interactive', ids }]);
    } catch (error) {
      this.metrics.enqueueFailures.inc(ids.length);
      this.warn(error);
      await putInBacklog(this.database, ids, NOT_ROUTED, 'single');
    }
    return commits.map(() => undefined);
  }

  /** An outage fails thousands of them; one line a second says it. */
  private warn(error: unknown): void {
    if (this.isQueueAway) return;
    this.failedMs = performance.now();
    this.log.warn({ err: error }, 'the queue cannot be reached; orders wait in the backlogs until it can');
  }
}
