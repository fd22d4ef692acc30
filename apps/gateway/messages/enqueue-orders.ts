import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Coalescer } from '#batching';
import type { Config } from '#config';
import {
  type AcceptRequest,
  Database,
  type KeyHolder,
  NOT_ROUTED,
  type PricedMessage,
  putInBacklogAtLast,
} from '#persistence';
import { DispatchQueues } from '#queue';
import { waitAtMost } from '#timing';
import { CONFIG } from '../injected.js';
import { OpenCarriers } from './open-carriers.js';
import { QueueOutages } from './queue-outages.js';

/** A request, and the carrier on whose queue its single message goes. */
export interface RoutedRequest extends AcceptRequest {
  readonly carrier?: string | undefined;
}

/** Accounts that may put one order on a queue although its room is used up. */
const LIGHT_ACCOUNTS_MAX = 20;
/** Few full jobs are cheaper (`DISPATCH_JOB_IDS_MAX`). A send that comes after a pause is still enqueued at once. */
const GATHER_MS = 10;
/** How long a gateway that stops tries to enqueue. */
const DRAIN_MAX_MS = 3_000;

/**
 * Decides for each single message whether it goes straight on its carrier's queue or waits in its account's backlog.
 * The queue stays short, so that no account's messages delay those of others for long.
 *
 * After the commit it puts the accepted orders on the queue of their carrier; the client does not wait for it. If the
 * queue does not take them, it puts them into the backlog. For orders that were accepted into a backlog it wakes the
 * feeders. If the gateway ends before that, nothing is lost: every order has a deadline.
 */
@Injectable()
export class EnqueueOrders implements OnApplicationShutdown {
  /** Ids of orders by carrier. */
  private readonly enqueues = new Coalescer<string, undefined>((ids, carrier) => this.write(carrier, ids), {
    keysApart: true,
    itemsMax: 2_000,
    pendingMax: 20_000,
    gatherMs: GATHER_MS,
  });
  private readonly wakes = new Coalescer<true, undefined>(
    async (wakes) => {
      await this.queues.wakeFeeder();
      return wakes.map(() => undefined);
    },
    { itemsMax: 1_000, pendingMax: 1_000, gatherMs: GATHER_MS },
  );
  private isStopped = false;

  constructor(
    private readonly carriers: OpenCarriers,
    private readonly queues: DispatchQueues,
    private readonly outages: QueueOutages,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The carrier on whose queue the message may go; undefined: it waits in its account's backlog. */
  carrierFor({ accountId, isTest, hasInFlightMax }: KeyHolder, message: PricedMessage): string | undefined {
    // Only the feeder counts what an account has in flight, and it brings test messages to the sandbox.
    if (isTest || hasInFlightMax || this.config.ACCOUNT_IN_FLIGHT_MAX !== undefined) return undefined;
    if (this.carriers.areUnknown || this.outages.isAway) return undefined;
    const carrier = this.carriers.firstFor(message);
    if (carrier === undefined) return undefined;
    if (carrier.room > 0) carrier.room -= 1;
    else if (!carrier.accounts.has(accountId) && carrier.lightAccounts < LIGHT_ACCOUNTS_MAX) carrier.lightAccounts += 1;
    else return undefined;
    carrier.accounts.add(accountId);
    return carrier.name;
  }

  /** @param requests those that one commit has accepted */
  enqueue(requests: readonly RoutedRequest[]): void {
    for (const { carrier, messages } of requests) {
      if (carrier === undefined) continue;
      this.carriers.countFailovers(carrier, messages);
      for (const { id } of messages) this.enqueues.add(id, carrier).catch((error) => this.outages.note(1, error));
    }
    // Feeders look for backlogs by themselves, only later.
    if (requests.some(({ inBacklog }) => inBacklog)) this.wakes.add(true).catch(() => undefined);
  }

  /** Resolves when what was accepted is on its queue, or in its backlog; deadlines bring back the rest. */
  async onApplicationShutdown(): Promise<void> {
    await waitAtMost(DRAIN_MAX_MS, this.enqueues.drain());
    this.isStopped = true;
  }

  private async write(carrier: string, ids: readonly string[]): Promise<undefined[]> {
    try {
      await this.queues.enqueue(carrier, 'interactive', ids);
    } catch (error) {
      this.outages.note(ids.length, error);
      // A queue in PostgreSQL is away together with the backlogs.
      const orders = { ids, carrierId: NOT_ROUTED, lane: 'interactive' } as const;
      await putInBacklogAtLast(this.database, orders, this.config.SWEEP_AFTER_SECONDS, () => !this.isStopped);
    }
    return ids.map(() => undefined);
  }
}
