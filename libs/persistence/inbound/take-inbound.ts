import { Coalescer } from '#batching';
import type { StoredCarrier } from '../carriers/carrier-settings.js';
import type { Database } from '../database/database.js';
import { isPoison } from '../database/database-errors.js';
import { inboundCarrier } from './inbound-carrier.js';
import { type InboundDelivery, type InboundOutcome, storeInbound } from './store-inbound.js';

/** They gather for each carrier by themselves; if too many wait, a carrier keeps the next one. */
const INBOUND_WRITES = { keysApart: true, itemsMax: 100, pendingMax: 5_000, isPoison };

type BringingCarrier = Pick<StoredCarrier, 'carrierId' | 'options'>;

/** What the process does that receives messages from handsets. */
export interface InboundProcess {
  readonly metrics: { readonly inbound: { inc(labels: { carrier: string; outcome: string }): void } };
  /** Runs one write, as often as the process tries. */
  write<Result>(write: () => Promise<Result>): Promise<Result>;
}

/** USE CASE: makes messages from handsets durable, many in one write, and gives them to the accounts they answer. */
export class TakeInbound {
  private readonly carriers = new Map<number, BringingCarrier>();
  private readonly writes = new Coalescer<InboundDelivery, InboundOutcome, number>((deliveries, carrierId) => {
    const carrier = inboundCarrier(this.carriers.get(carrierId) ?? { carrierId, options: {} }, this.defaultSender);
    return this.process.write(() => storeInbound(this.database, carrier, deliveries));
  }, INBOUND_WRITES);

  constructor(
    private readonly database: Database,
    private readonly defaultSender: string,
    private readonly process: InboundProcess,
  ) {}

  /**
   * The carrier gets its answer after this has resolved; if it rejects, the carrier keeps the message and sends it
   * again.
   *
   * @throws Overloaded when too many wait
   */
  async take(carrier: BringingCarrier & { readonly name: string }, delivery: InboundDelivery): Promise<void> {
    this.carriers.set(carrier.carrierId, carrier);
    const { inbound } = this.process.metrics;
    try {
      const outcome = await this.writes.add(delivery, carrier.carrierId);
      inbound.inc({ carrier: carrier.name, outcome });
    } catch (error) {
      inbound.inc({ carrier: carrier.name, outcome: 'failed' });
      throw error;
    }
  }
}
