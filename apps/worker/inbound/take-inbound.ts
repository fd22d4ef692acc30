import { Inject, Injectable } from '@nestjs/common';
import type { InboundPart } from '#carrier';
import type { Config } from '#config';
import { Database, inboundCarrier, inboundWrites, type StoredCarrier, storeInbound } from '#persistence';
import { CONFIG } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';

/**
 * USE CASE: makes messages from handsets durable, and gives them to the accounts that they answer. The carrier gets its
 * answer after this has resolved; if it rejects, the carrier keeps the message and sends it again.
 */
@Injectable()
export class TakeInbound {
  private readonly carriers = new Map<number, Pick<StoredCarrier, 'carrierId' | 'options'>>();
  private readonly writes = inboundWrites((deliveries, carrierId) =>
    storeInbound(
      this.database,
      inboundCarrier(this.carriers.get(carrierId) ?? { carrierId, options: {} }, this.config.SENDER),
      deliveries,
    ),
  );

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: WorkerMetrics,
  ) {}

  async take(carrier: Pick<StoredCarrier, 'carrierId' | 'name' | 'options'>, part: InboundPart): Promise<void> {
    this.carriers.set(carrier.carrierId, carrier);
    try {
      const outcome = await this.writes.add(part, carrier.carrierId);
      this.metrics.inbound.inc({ carrier: carrier.name, outcome });
    } catch (error) {
      this.metrics.inbound.inc({ carrier: carrier.name, outcome: 'failed' });
      throw error;
    }
  }
}
