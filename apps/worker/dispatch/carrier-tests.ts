import { Injectable } from '@nestjs/common';
import { Database, dueCarrierTests } from '#persistence';
import { CarrierPool } from '../carriers/carrier-pool.js';
import type { PooledCarrier } from '../carriers/pooled-carrier.js';
import { RepeatedFaults } from '../operations/repeated-faults.js';
import { DispatchOrders } from './dispatch-orders.js';

/**
 * USE CASE: dispatches the messages with which operators test a carrier, even if it is paused or is a simulator beside
 * real carriers. They pass no queue: any worker that is bound to the carrier may claim them.
 */
@Injectable()
export class CarrierTests {
  /** Tests that wait for a slot or are being claimed. */
  private readonly begun = new Set<string>();
  private looking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly pool: CarrierPool,
    private readonly orders: DispatchOrders,
    private readonly faults: RepeatedFaults,
  ) {}

  /** Looks for tests of carriers that this worker is bound to. Never rejects; one look at a time. */
  look(): void {
    this.looking ??= this.dispatchDue()
      .catch((fault: unknown) => this.faults.notDispatched(fault))
      .finally(() => {
        this.looking = undefined;
      });
  }

  private async dispatchDue(): Promise<void> {
    const bound = this.pool.ofOperator().filter(({ state }) => state === 'bound');
    if (bound.length === 0) return;
    const due = await dueCarrierTests(
      this.database,
      bound.map(({ id }) => id),
    );
    for (const { id, carrierId } of due) {
      const carrier = this.pool.find(carrierId);
      if (carrier === undefined || this.begun.has(id)) continue;
      this.begun.add(id);
      this.dispatch(id, carrier)
        .catch((fault: unknown) => this.faults.notDispatched(fault))
        .finally(() => this.begun.delete(id));
    }
  }

  private async dispatch(id: string, carrier: PooledCarrier): Promise<void> {
    const slot = await carrier.testSlots.take(() => carrier.state === 'bound');
    if (slot !== undefined) await this.orders.dispatch(id, 'interactive', carrier, slot);
  }
}
