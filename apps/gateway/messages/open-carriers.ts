import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { inOrder, RouteTable, steadyRandom } from '#carrier';
import { Database, type PricedMessage } from '#persistence';
import { DispatchQueues } from '#queue';
import { PeriodicWork } from '#timing';
import { GatewayMetrics } from '../operator/gateway-metrics.js';
import { type CarrierPace, readPaces } from './carrier-paces.js';
import { SendRules } from './send-rules.js';

/** How often it looks at the queues that are used; at all queues, and at the workers' reports, once a second. */
const DEPTHS_EVERY_MS = 250;
const ALL_EVERY_MS = 1_000;
/** Older depths say nothing: then orders go into the backlog. */
const TRUSTED_MS = 2_000;
/** A carrier's queue may hold the interactive orders of this time, and those that go out until the next look. */
const QUEUED_SECONDS = 0.25;
const ROOM_MIN = 10;
/** Orders a second that a carrier may take whose pace is not known. */
const UNKNOWN_PER_SECOND = 400;

/** A carrier that takes messages, as a gateway sees it. */
export interface OpenCarrier {
  readonly name: string;
  /** Orders that may go on the queue until the next look. */
  room: number;
  /** Accounts that have used it since the last look. */
  readonly accounts: Set<string>;
  lightAccounts: number;
}

/** Looks again and again which carriers are open, what room their queues have, and where routes lead. */
@Injectable()
export class OpenCarriers implements OnApplicationBootstrap, OnApplicationShutdown {
  /** By carrier id. */
  open: ReadonlyMap<number, OpenCarrier> = new Map();
  /** Those of the last look. */
  routes = new RouteTable([]);
  private paces: readonly CarrierPace[] = [];
  private readMs = Number.NEGATIVE_INFINITY;
  /** 0: at the next look. */
  private nextAllMs = 0;
  private isStopped = false;
  private readonly looks = new PeriodicWork(
    DEPTHS_EVERY_MS,
    () => this.look(),
    // The figures become too old, and everything goes into the backlogs. Carriers and routes may not have been read.
    () => {
      this.nextAllMs = 0;
    },
  );

  constructor(
    private readonly database: Database,
    private readonly queues: DispatchQueues,
    private readonly rules: SendRules,
    private readonly metrics: GatewayMetrics,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.look().catch(() => undefined);
    this.looks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.looks.stop();
  }

  /** Whether the last look is too old, or the gateway stops. */
  get areUnknown(): boolean {
    return this.isStopped || performance.now() - this.readMs > TRUSTED_MS;
  }

  /** The open carrier that a message goes to by its route; undefined: none is open. */
  firstFor({ id, destination }: PricedMessage): OpenCarrier | undefined {
    const targets = this.routes.targetsFor(destination, () => [...this.open]) ?? [];
    const readinessOf = (carrierId: number) => (this.open.has(carrierId) ? 'up' : 'down');
    const [first] = targets.length === 1 ? targets : inOrder(targets, readinessOf, steadyRandom(id));
    return first && this.open.get(first.carrierId);
  }

  /** Counts those of a carrier's messages whose route has it at a later rank. Feeders count what they route. */
  countFailovers(name: string, messages: readonly PricedMessage[]): void {
    for (const { destination } of messages) {
      const { targets = [] } = this.routes.find(destination) ?? {};
      const rank = targets.find(({ carrierId }) => this.open.get(carrierId)?.name === name)?.rank ?? 0;
      if (targets.some((target) => target.rank < rank)) this.metrics.failovers.inc({ carrier: name });
    }
  }

  /** Carriers or routes have changed: until the next look, messages wait in the backlogs, which the feeder routes. */
  forget(): void {
    this.nextAllMs = 0;
    this.readMs = Number.NEGATIVE_INFINITY;
  }

  private async look(): Promise<undefined> {
    const isAll = performance.now() >= this.nextAllMs;
    if (isAll) {
      this.nextAllMs = performance.now() + ALL_EVERY_MS;
      [this.paces, this.routes] = await Promise.all([readPaces(this.database), this.rules.routes.get()]);
    }
    const open = await Promise.all(
      this.paces.map(async (carrier): Promise<[number, OpenCarrier]> => {
        const known = this.open.get(carrier.carrierId);
        if (!isAll && known !== undefined && !isUsed(known)) return [carrier.carrierId, known];
        const { name } = carrier;
        const { interactive } = await this.queues.depthOf(name);
        const perSecond = carrier.perSecond ?? UNKNOWN_PER_SECOND;
        const queuedMax = perSecond * QUEUED_SECONDS + (perSecond * DEPTHS_EVERY_MS) / 1_000;
        const room = Math.floor(Math.max(ROOM_MIN, queuedMax)) - interactive;
        return [carrier.carrierId, { name, room, accounts: new Set(), lightAccounts: 0 }];
      }),
    );
    this.open = new Map(open);
    // Unless carriers or routes have changed since they were read.
    if (this.nextAllMs > 0) this.readMs = performance.now();
  }
}

/** Whether this gateway has put messages on its queue since the last look, or could put none there. */
function isUsed({ accounts, room }: OpenCarrier): boolean {
  return accounts.size > 0 || room <= 0;
}
