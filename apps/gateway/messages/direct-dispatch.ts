import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type CarrierReadiness, inOrder, type RouteTarget, steadyRandom } from '#carrier';
import type { Config } from '#config';
import { Database, type KeyHolder, type PricedMessage } from '#persistence';
import { DispatchQueues } from '#queue';
import { PeriodicWork } from '#timing';
import { CONFIG } from '../injected.js';
import { type CarrierPace, openCarriers } from '../routes/carrier-paces.js';
import { RouteBook } from '../routes/route-book.js';
import { EnqueueOrders } from './enqueue-orders.js';

const DEPTHS_EVERY_MS = 250;
const PACES_EVERY_MS = 1_000;
/** Older depths say nothing: then orders go into the backlog. */
const TRUSTED_MS = 2_000;
/** A carrier's queue may hold the interactive orders of this time, and those that go out until the next look. */
const QUEUED_SECONDS = 0.25;
const ROOM_MIN = 10;
/** Orders a second that a carrier may take whose pace is not known. */
const UNKNOWN_PER_SECOND = 400;
/** Accounts that may put one order on a queue although its room is used up. */
const LIGHT_ACCOUNTS_MAX = 20;

/** A carrier as a gateway sees it. */
interface Way {
  readonly carrier: CarrierPace;
  /** Orders that may go on the queue until the next look. */
  room: number;
  /** Accounts that have used it since the last look. */
  readonly accounts: Set<string>;
  lightAccounts: number;
}

/**
 * Decides for each single message whether it goes straight on its carrier's queue or waits in its account's backlog.
 * The queue stays short, so that no account's messages delay those of others for long.
 */
@Injectable()
export class DirectDispatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private ways = new Map<number, Way>();
  private paces: readonly CarrierPace[] = [];
  private targets: ((destination: string) => readonly RouteTarget[] | undefined) | undefined;
  private readMs = Number.NEGATIVE_INFINITY;
  /** 0: at the next look. */
  private nextPacesMs = 0;
  private isStopped = false;
  private readonly looks = new PeriodicWork(
    DEPTHS_EVERY_MS,
    () => this.look(),
    // The figures become too old, and everything goes into the backlogs. Carriers and routes may not have been read.
    () => {
      this.nextPacesMs = 0;
    },
  );

  constructor(
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly routes: RouteBook,
    @Inject(CONFIG) private readonly config: Config,
    private readonly enqueues: EnqueueOrders,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.look().catch(() => undefined);
    this.looks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.looks.stop();
  }

  /** Carriers or routes have changed: until the next look, messages wait in the backlogs, which the feeder routes. */
  forget(): void {
    this.nextPacesMs = 0;
    this.readMs = Number.NEGATIVE_INFINITY;
  }

  /** The carrier on whose queue the message may go; undefined: it waits in its account's backlog. */
  carrierFor({ accountId, isTest, hasInFlightMax }: KeyHolder, { id, destination }: PricedMessage): string | undefined {
    // Only the feeder counts what an account has in flight, and it brings test messages to the sandbox.
    if (isTest || hasInFlightMax || this.config.ACCOUNT_IN_FLIGHT_MAX !== undefined) return undefined;
    if (this.isStopped || this.enqueues.isQueueAway || performance.now() - this.readMs > TRUSTED_MS) return undefined;
    const targets = this.targets?.(destination) ?? this.anyCarrier();
    const [first] =
      targets.length === 1 ? targets : inOrder(targets, (carrierId) => this.readinessOf(carrierId), steadyRandom(id));
    const way = first && this.ways.get(first.carrierId);
    if (way === undefined) return undefined;
    if (way.room > 0) way.room -= 1;
    else if (!way.accounts.has(accountId) && way.lightAccounts < LIGHT_ACCOUNTS_MAX) way.lightAccounts += 1;
    else return undefined;
    way.accounts.add(accountId);
    return way.carrier.name;
  }

  private anyCarrier(): RouteTarget[] {
    const open = [...this.ways.values()];
    const withRoom = open.filter(({ room }) => room > 0);
    return (withRoom.length > 0 ? withRoom : open).map(({ carrier }) => ({
      carrierId: carrier.carrierId,
      rank: 1,
      weight: 1,
    }));
  }

  private readinessOf(carrierId: number): CarrierReadiness {
    return this.ways.get(carrierId)?.carrier.readiness ?? 'down';
  }

  private async look(): Promise<undefined> {
    if (performance.now() >= this.nextPacesMs) {
      this.nextPacesMs = performance.now() + PACES_EVERY_MS;
      [this.paces, this.targets] = await Promise.all([
        openCarriers(this.database),
        this.routes.routing().then((routing) => routing.targets),
      ]);
    }
    const ways = await Promise.all(
      this.paces.map(async (carrier): Promise<[number, Way]> => {
        const { interactive } = await this.queues.depthOf(carrier.name);
        const perSecond = carrier.perSecond ?? UNKNOWN_PER_SECOND;
        const queuedMax = perSecond * QUEUED_SECONDS + (perSecond * DEPTHS_EVERY_MS) / 1_000;
        const room = Math.floor(Math.max(ROOM_MIN, queuedMax)) - interactive;
        return [carrier.carrierId, { carrier, room, accounts: new Set(), lightAccounts: 0 }];
      }),
    );
    this.ways = new Map(ways);
    // Unless carriers or routes have changed since they were read.
    if (this.nextPacesMs > 0) this.readMs = performance.now();
  }
}
