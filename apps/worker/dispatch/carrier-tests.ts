import { Injectable } from '@nestjs/common';
import { Database, dueCarrierTests } from '#persistence';
import { DispatchQueues } from '#queue';
import { CarrierPool } from '../carriers/carrier-pool.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';

const ENQUEUE_AGAIN_MS = 1_500;

/**
 * USE CASE: puts the messages with which operators test a carrier on that carrier's queue, even if it is paused or is a
 * simulator beside real carriers.
 */
@Injectable()
export class CarrierTests {
  /** When each was put on its queue. */
  private readonly enqueuedMs = new Map<string, number>();
  private looking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly pool: CarrierPool,
    private readonly queues: DispatchQueues,
    private readonly faults: RepeatedFaults,
  ) {}

  /** Looks for tests of carriers that this worker is bound to. Never rejects; one look at a time. */
  look(): void {
    this.looking ??= this.enqueueDue()
      .catch((fault: unknown) => this.faults.notDispatched(fault))
      .finally(() => {
        this.looking = undefined;
      });
  }

  private async enqueueDue(): Promise<void> {
    const bound = this.pool.ofOperator().filter(({ state }) => state === 'bound');
    if (bound.length === 0) return;
    const due = await dueCarrierTests(
      this.database,
      bound.map(({ id }) => id),
    );
    for (const known of this.enqueuedMs.keys()) if (!due.some(({ id }) => id === known)) this.enqueuedMs.delete(known);
    for (const { id, carrierId } of due) {
      // One that still waits after this time came back because its carrier throttled it.
      if (performance.now() - (this.enqueuedMs.get(id) ?? Number.NEGATIVE_INFINITY) < ENQUEUE_AGAIN_MS) continue;
      await this.queues.enqueue(this.pool.nameOf(carrierId), { priority: 'interactive', ids: [id], isTest: true });
      this.enqueuedMs.set(id, performance.now());
    }
  }
}
