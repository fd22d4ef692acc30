import { Inject, Injectable } from '@nestjs/common';
import type { InboundPart } from '#carrier';
import type { Config } from '#config';
import { Database, failureKind, inboundCarrier, inboundWrites, type OpenCarrier, storeInbound } from '#persistence';
import { tryAgain } from '#timing';
import { CONFIG } from '../injected.js';
import { GatewayMetrics } from '../operator/gateway-metrics.js';

/** Not every provider calls again after a 503, so the gateway waits for the database for a short time. */
const STORING = { giveUpAfterMs: 4_000, waitMs: 200 };

/** USE CASE: makes the messages of inbound callbacks durable, and gives them to the accounts that they answer. */
@Injectable()
export class StoreInbound {
  private readonly carriers = new Map<number, Pick<OpenCarrier, 'carrierId' | 'options'>>();
  private readonly writes = inboundWrites((deliveries, carrierId) => {
    const carrier = inboundCarrier(this.carriers.get(carrierId) ?? { carrierId, options: {} }, this.config.SENDER);
    // The provider numbers its messages, so to store one twice changes nothing.
    const write = () => storeInbound(this.database, carrier, deliveries);
    return tryAgain(write, (error) => failureKind(error) !== 'poison', STORING);
  });

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: GatewayMetrics,
  ) {}

  /**
   * Resolves once the message is durable.
   *
   * @throws Overloaded when too many wait
   */
  async store(carrier: Pick<OpenCarrier, 'carrierId' | 'name' | 'options'>, message: InboundPart): Promise<void> {
    this.carriers.set(carrier.carrierId, carrier);
    try {
      const outcome = await this.writes.add(message, carrier.carrierId);
      this.metrics.inbound.inc({ carrier: carrier.name, outcome });
    } catch (error) {
      this.metrics.inbound.inc({ carrier: carrier.name, outcome: 'failed' });
      throw error;
    }
  }
}
