import { setTimeout as delay } from 'node:timers/promises';
import { BullRegistrar } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Config } from '#config';
import { waitAtMost } from '#timing';
import { BindLeases } from './carriers/bind-leases.js';
import { CarrierConnections } from './carriers/carrier-connections.js';
import { FollowCarriers } from './carriers/follow-carriers.js';
import { CarrierConsumers, closeConsumer, GRACE_PART } from './dispatch/carrier-consumers.js';
import { DispatchWrites } from './dispatch/dispatch-writes.js';
import { Feeder } from './dispatch/feeder.js';
import { FeederProcessor } from './dispatch/feeder.processor.js';
import { OwnedOrders } from './dispatch/owned-orders.js';
import { PreviousQueueProcessor } from './dispatch/previous-queue.processor.js';
import { CONFIG } from './injected.js';
import { MetricsListener } from './operations/metrics-listener.js';
import { ReportAlive } from './operations/report-alive.js';

/** How long the consumers have to hand over what they have claimed, before the carriers take nothing more. */
const HAND_OVER_MS = 200;

/**
 * The order in which a worker starts and stops. It needs every part that takes part in sending, so it owns the order,
 * instead of hooks whose order nobody sees.
 *
 * Start: read the carriers and connect; listen for health checks; write the first heartbeat, because other workers take
 * over at once from a worker that they never heard of; then claim orders.
 *
 * Stop, in three steps. Nest runs all hooks of one kind before the first hook of the next kind, and within a kind each
 * part before the parts that it depends on.
 *
 * 1. `beforeApplicationShutdown`, here alone: claim and enqueue nothing more, wait for the carriers' answers for half
 *    of SHUTDOWN_GRACE_MS, unbind, and write the last answers. A segment without an answer is in doubt then. Meanwhile
 *    the worker keeps its heartbeat and the leases of its orders and binds, so that no other worker takes them over.
 * 2. `onApplicationShutdown` of the parts, in any order: each ends its timers and gives back what it holds, such as
 *    binds and the heartbeat. The queues close last, because their module is global.
 * 3. `startWorker()` closes the database, which came before the module.
 */
@Injectable()
export class WorkerLife implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private isWorking = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly connections: CarrierConnections,
    private readonly carriers: FollowCarriers,
    private readonly binds: BindLeases,
    private readonly consumers: CarrierConsumers,
    private readonly feeder: Feeder,
    private readonly writes: DispatchWrites,
    private readonly owned: OwnedOrders,
    private readonly listener: MetricsListener,
    private readonly alive: ReportAlive,
    private readonly processors: BullRegistrar,
    private readonly feederJobs: FeederProcessor,
    private readonly previousJobs: PreviousQueueProcessor,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.carriers.start();
    this.binds.start();
    await this.listener.listen(() => this.isWorking && this.alive.isHeard);
    await this.alive.start();
    this.isWorking = true;
    this.consumers.start();
    this.feeder.start();
    this.processors.register();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { SHUTDOWN_GRACE_MS } = this.config;
    this.isWorking = false;
    this.binds.stop();
    // A part that cannot stop in order keeps no other part from it; it logs its own fault.
    const consumed = Promise.allSettled([
      this.consumers.stop(),
      this.feeder.stop(),
      this.carriers.stop(),
      closeConsumer(this.feederJobs.worker, this.config),
      closeConsumer(this.previousJobs.worker, this.config),
    ]).then(() => this.owned.settled());
    const unbound = delay(HAND_OVER_MS).then(() => this.connections.close(SHUTDOWN_GRACE_MS / 2));
    await Promise.all([waitAtMost(SHUTDOWN_GRACE_MS * GRACE_PART, consumed), unbound]);
    await this.writes.drain();
  }
}
