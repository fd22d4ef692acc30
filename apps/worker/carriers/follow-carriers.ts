import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { CarrierConsumers } from '../dispatch/carrier-consumers.js';
import { CarrierTests } from '../dispatch/carrier-tests.js';
import { LOG } from '../injected.js';
import { BindLeases } from './bind-leases.js';
import { CarrierConnections } from './carrier-connections.js';

/** How often carriers and routes are read again; a change that the database notifies takes effect at once. */
const READ_EVERY_MS = 5_000;

/** Reads the operator's carriers and routes again and again, and lets the parts of this worker follow them. */
@Injectable()
export class FollowCarriers {
  private readonly reads: PeriodicWork;

  constructor(
    private readonly connections: CarrierConnections,
    private readonly leases: BindLeases,
    private readonly consumers: CarrierConsumers,
    private readonly tests: CarrierTests,
    @Inject(LOG) log: Logger,
  ) {
    this.reads = new PeriodicWork(
      READ_EVERY_MS,
      () => this.read(),
      (error) => log.warn({ err: error }, 'carriers could not be followed; trying again'),
    );
  }

  /** Resolves when the carriers are known. */
  async start(): Promise<void> {
    await this.read();
    this.reads.start();
  }

  stop(): Promise<void> {
    return this.reads.stop();
  }

  async read(): Promise<undefined> {
    await this.connections.refresh();
    this.follow();
  }

  /** Called when carriers, routes or the reports of other workers have changed. */
  follow(): void {
    void this.leases.renew();
    this.consumers.follow();
    if (this.consumers.isStarted) this.tests.look();
  }
}
