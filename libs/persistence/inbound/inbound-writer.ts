import { Coalescer } from '#batching';
import { isPoison } from '../database/database-errors.js';
import type { InboundDelivery, InboundOutcome } from './store-inbound.js';

const ITEMS_MAX = 100;
const PENDING_MAX = 5_000;

/** Gathers messages from handsets into common writes, those of each carrier by themselves. */
export class InboundWriter {
  private readonly writes: Coalescer<InboundDelivery, InboundOutcome, number>;

  /** @param write makes deliveries of one carrier durable, all or none */
  constructor(
    write: (carrierId: number, deliveries: readonly InboundDelivery[]) => Promise<readonly InboundOutcome[]>,
  ) {
    this.writes = new Coalescer((deliveries, carrierId) => write(carrierId, deliveries), {
      keysApart: true,
      itemsMax: ITEMS_MAX,
      pendingMax: PENDING_MAX,
      isPoison,
    });
  }

  /**
   * Resolves once the delivery is durable.
   *
   * @throws Overloaded when too many wait
   */
  add(carrierId: number, delivery: InboundDelivery): Promise<InboundOutcome> {
    return this.writes.add(delivery, carrierId);
  }
}
