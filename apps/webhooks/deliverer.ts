import { oneLine } from '#config';
import {
  EVENT_DAYS,
  type EventCursor,
  endpointsWithoutBatch,
  endpointsWithRepeats,
  type LeasedEndpoint,
  leasedEndpoints,
  releaseEndpoints,
  saveProgress,
  takeEndpoints,
  tidyWebhooks,
} from '#persistence';
import { PeriodicWork, waitAtMost } from '#timing';
import type { DeliveryDependencies } from './delivery-dependencies.js';
import { EndpointDelivery } from './endpoint-delivery.js';
import { EventReader } from './event-reader.js';
import { type FoundEvents, NewEvents } from './new-events.js';

const LEASES_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 200;
/** How often it looks when IDLE_AFTER_LOOKS looks in a row have found nothing. */
const LOOK_IDLE_MS = 1_000;
const IDLE_AFTER_LOOKS = 10;
const SAVE_EVERY_MS = 250;
/** To store the places of many webhooks takes longer: it gets a tenth of the time at most. */
const SAVE_RESTS = 10;
const SAVE_REST_MAX_MS = 2_000;
const TIDY_EVERY_MS = 60_000;
const TIDY_MORE_MS = 1_000;
const ATTEMPT_DAYS = 30;

/**
 * USE CASE: delivers the events of the webhooks that this process has. Several processes may run: each takes its share,
 * and those of a process that is not heard of any more go to the others.
 */
export class Deliverer {
  private readonly deliveries = new Map<string, EndpointDelivery>();
  /** Webhooks whose delivery ends. None is taken again before that: their places are read from the database then. */
  private readonly retiring = new Map<string, Promise<void>>();
  /** Webhooks whose secrets this process cannot decrypt; each is told of once. */
  private unreadable: ReadonlySet<string> = new Set();
  private saving: Promise<void> = Promise.resolve();
  private readonly rounds: readonly PeriodicWork[];
  private idleLooks = 0;
  /** How far the database's clock is ahead: the database and other processes write when something is due as well. */
  private databaseAheadMs = 0;
  private readonly dependencies: DeliveryDependencies;
  private readonly newEvents: NewEvents;

  constructor(
    dependencies: Omit<DeliveryDependencies, 'reader'>,
    /** Whether the others take this process for alive: if not, they may deliver what it has. */
    private readonly isHeard: () => boolean,
  ) {
    const { database } = dependencies;
    const now = () => dependencies.now() + this.databaseAheadMs;
    this.dependencies = { ...dependencies, now, reader: new EventReader(database) };
    this.newEvents = new NewEvents(database);
    const round = (everyMs: number, work: () => Promise<number | undefined>) =>
      new PeriodicWork(everyMs, work, (error) =>
        dependencies.log.warn({ err: error }, 'could not deliver; trying again'),
      );
    this.rounds = [
      round(LEASES_EVERY_MS, () => this.lease()),
      round(LOOK_EVERY_MS, () => this.look()),
      round(SAVE_EVERY_MS, async () => {
        const beganMs = performance.now();
        await this.save([...this.deliveries.values()]);
        const restMs = SAVE_RESTS * (performance.now() - beganMs);
        return Math.min(SAVE_REST_MAX_MS, Math.max(SAVE_EVERY_MS, restMs));
      }),
      round(TIDY_EVERY_MS, async () => {
        // Failed attempts may come faster than one slice a minute.
        const isMore = await tidyWebhooks(dependencies.database, EVENT_DAYS, ATTEMPT_DAYS);
        return isMore ? TIDY_MORE_MS : undefined;
      }),
    ];
  }

  start(): void {
    for (const round of this.rounds) round.start(0);
  }

  get counts() {
    const all = [...this.deliveries.values()];
    const failing = all.filter(({ isFailing }) => isFailing).length;
    return {
      delivering: all.length - failing,
      failing,
      inFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
    };
  }

  /**
   * Waits for the open requests, stores how far each webhook is, and gives all of them back. What the database does not
   * store is sent again by the process that takes the webhook.
   */
  async stop(waitMs: number): Promise<void> {
    await Promise.all(this.rounds.map((round) => round.stop()));
    const isGivenBack = waitAtMost(waitMs, Promise.all(this.retiring.values()));
    await Promise.all([...this.deliveries.values()].map((delivery) => delivery.stop(waitMs)));
    await isGivenBack;
    try {
      await this.save([...this.deliveries.values()]);
      await releaseEndpoints(this.dependencies.database, this.dependencies.owner);
    } catch (error) {
      this.dependencies.log.warn({ err: error }, 'could not store how far webhooks are');
    }
    this.deliveries.clear();
  }

  /** Takes its share, gives back more than that, and follows what owners have changed. */
  private async lease(): Promise<undefined> {
    const { database, log } = this.dependencies;
    if (!this.isHeard()) {
      for (const delivery of this.takeOut([...this.deliveries.keys()])) void delivery.stop(0);
      return;
    }
    const taken = await takeEndpoints(database, this.dependencies.owner, [
      ...this.deliveries.keys(),
      ...this.retiring.keys(),
    ]);
    const unreadable = new Set<string>();
    const askedMs = Date.now();
    const leased = await leasedEndpoints(database, this.dependencies.owner, (endpointId, error) => {
      unreadable.add(endpointId);
      if (this.unreadable.has(endpointId)) return;
      log.warn({ endpointId }, `a webhook is not delivered: its secret ${oneLine(error)}`);
    });
    const { endpoints, share, databaseTime } = leased;
    this.followClock(databaseTime.getTime(), askedMs);
    this.unreadable = unreadable;
    const mine = new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]));
    for (const endpoint of endpoints.slice(0, share)) this.follow(endpoint);
    const kept = new Set([...mine.keys()].slice(0, share));
    // Also one that was enabled again, or was taken away because the database was restored: its place may have changed.
    this.retire(this.takeOut([...this.deliveries.keys()].filter((id) => !kept.has(id))));
    // An account may disable one at this very moment: then nobody has it.
    const disabled = taken.filter((id) => !mine.has(id) && !unreadable.has(id));
    // Those that could not be given back before.
    const idle = [...mine.keys()].filter((id) => !kept.has(id) && !this.retiring.has(id));
    const unused = [...disabled, ...idle];
    if (unused.length > 0) await releaseEndpoints(database, this.dependencies.owner, unused);
  }

  /** What is known of the two clocks stays, unless the database's time was not between question and answer by it. */
  private followClock(databaseMs: number, askedMs: number): void {
    const [least, most] = [databaseMs - Date.now(), databaseMs - askedMs];
    this.databaseAheadMs = Math.min(most, Math.max(least, this.databaseAheadMs));
  }

  private retire(deliveries: readonly EndpointDelivery[], isLost = false): void {
    for (const delivery of deliveries) {
      const isGivenBack = this.giveBack(delivery, isLost)
        .catch((error: unknown) => this.dependencies.log.warn({ err: error }, 'could not give a webhook back'))
        .finally(() => this.retiring.delete(delivery.endpointId));
      this.retiring.set(delivery.endpointId, isGivenBack);
    }
  }

  /**
   * Waits for the open requests, stores how far it is, and releases it for another process.
   *
   * @param isLost how far it is says nothing about this database
   */
  private async giveBack(delivery: EndpointDelivery, isLost: boolean): Promise<void> {
    const { database, owner, timeoutMs } = this.dependencies;
    await delivery.stop(timeoutMs);
    if (!isLost) await this.save([delivery]);
    await releaseEndpoints(database, owner, [delivery.endpointId]);
  }

  private follow(endpoint: LeasedEndpoint): void {
    if (this.retiring.has(endpoint.endpointId)) return;
    const running = this.deliveries.get(endpoint.endpointId);
    if (running !== undefined) running.change(endpoint);
    else {
      const delivery = new EndpointDelivery(endpoint, this.dependencies, (one) => this.save([one]));
      this.deliveries.set(endpoint.endpointId, delivery);
    }
  }

  private takeOut(ids: readonly string[]): EndpointDelivery[] {
    return ids.flatMap((id) => {
      const delivery = this.deliveries.get(id);
      this.deliveries.delete(id);
      return delivery ?? [];
    });
  }

  /** Few statements find the webhooks that have something to send, however many there are. */
  private async look(): Promise<number> {
    const { database, log, now } = this.dependencies;
    const places = [...this.deliveries.values()].map(({ endpointId, server, position }) => ({
      endpointId,
      server,
      ...position,
    }));
    const found = await this.newEvents.look();
    const { accountIds } = found;
    for (const delivery of this.deliveries.values()) {
      if (accountIds?.has(delivery.accountId) ?? true) delivery.told();
    }
    const lost = await this.lostPlaces(places, found);
    if (lost.length > 0) {
      log.info({ webhooks: lost.length }, 'the database may have been restored; reading places again');
      this.retire(this.takeOut(lost), true);
    }
    const repeats = await endpointsWithRepeats(database, [...this.deliveries.keys()], new Date(now()));
    for (const delivery of this.deliveries.values()) {
      const hasRepeats = repeats.has(delivery.endpointId);
      if (!hasRepeats && !delivery.hasWork) continue;
      delivery
        .work(hasRepeats)
        .catch((error: unknown) => log.warn({ err: error }, 'could not read events; trying again'));
    }
    this.idleLooks = repeats.size > 0 || (accountIds?.size ?? 0) > 0 ? 0 : this.idleLooks + 1;
    return this.idleLooks > IDLE_AFTER_LOOKS ? LOOK_IDLE_MS : LOOK_EVERY_MS;
  }

  /**
   * The webhooks for which the database may have been restored to an earlier state: the place is of a transaction that
   * has not begun, or the server was started anew and does not have the batch that was read last.
   */
  private async lostPlaces(
    places: readonly (EventCursor & Pick<EndpointDelivery, 'endpointId' | 'server'>)[],
    { next, server }: FoundEvents,
  ): Promise<string[]> {
    const ahead = places.filter(({ xid }) => BigInt(xid) >= next).map(({ endpointId }) => endpointId);
    const doubtful = places.filter((place) => place.server !== server);
    return [...ahead, ...(await endpointsWithoutBatch(this.dependencies.database, doubtful))];
  }

  /** Stores how far these are. One call waits for the other, so that no older place is stored over a newer one. */
  private save(deliveries: readonly EndpointDelivery[]): Promise<void> {
    const saved = this.saving.then(() => this.store(deliveries));
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  private async store(deliveries: readonly EndpointDelivery[]): Promise<void> {
    const progress = deliveries.flatMap((delivery) => delivery.takeProgress() ?? []);
    try {
      await saveProgress(this.dependencies.database, this.dependencies.owner, progress);
    } catch (error) {
      for (const delivery of deliveries) delivery.keepProgress();
      throw error;
    }
  }
}
