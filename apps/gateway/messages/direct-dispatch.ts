import { Inject, Injectable } from '@nestjs/common';
import { type CarrierReadiness, inOrder, type RouteTarget, steadyRandom } from '#carrier';
import type { Config } from '#config';
import type { KeyHolder, PricedMessage } from '#persistence';
import { CONFIG } from '../injected.js';
import { CarrierWays } from './carrier-ways.js';
import { EnqueueOrders } from './enqueue-orders.js';

/** Accounts that may put one order on a queue although its room is used up. */
const LIGHT_ACCOUNTS_MAX = 20;

/**
 * Decides for each single message whether it goes straight on its carrier's queue or waits in its account's backlog.
 * The queue stays short, so that no account's messages delay those of others for long.
 */
@Injectable()
export class DirectDispatch {
  constructor(
    private readonly ways: CarrierWays,
    @Inject(CONFIG) private readonly config: Config,
    private readonly enqueues: EnqueueOrders,
  ) {}

  /** The carrier on whose queue the message may go; undefined: it waits in its account's backlog. */
  carrierFor({ accountId, isTest, hasInFlightMax }: KeyHolder, { id, destination }: PricedMessage): string | undefined {
    // Only the feeder counts what an account has in flight, and it brings test messages to the sandbox.
    if (isTest || hasInFlightMax || this.config.ACCOUNT_IN_FLIGHT_MAX !== undefined) return undefined;
    if (this.ways.areUnknown || this.enqueues.isQueueAway) return undefined;
    const targets = this.ways.targetsOf(destination) ?? this.anyCarrier();
    const [first] =
      targets.length === 1 ? targets : inOrder(targets, (carrierId) => this.readinessOf(carrierId), steadyRandom(id));
    const way = first && this.ways.open.get(first.carrierId);
    if (way === undefined) return undefined;
    if (way.room > 0) way.room -= 1;
    else if (!way.accounts.has(accountId) && way.lightAccounts < LIGHT_ACCOUNTS_MAX) way.lightAccounts += 1;
    else return undefined;
    way.accounts.add(accountId);
    return way.carrier.name;
  }

  private anyCarrier(): RouteTarget[] {
    const open = [...this.ways.open.values()];
    const withRoom = open.filter(({ room }) => room > 0);
    return (withRoom.length > 0 ? withRoom : open).map(({ carrier }) => ({
      carrierId: carrier.carrierId,
      rank: 1,
      weight: 1,
    }));
  }

  private readinessOf(carrierId: number): CarrierReadiness {
    return this.ways.open.get(carrierId)?.carrier.readiness ?? 'down';
  }
}
