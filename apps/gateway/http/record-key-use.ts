import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, recordKeyUses } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { LOG } from '../injected.js';
import { ApiKeys } from './api-keys.js';

const RECORD_EVERY_MS = 60_000;

/** Stores when each key was used last: one statement a minute, whatever the number of requests, and one at the end. */
@Injectable()
export class RecordKeyUse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly records: PeriodicWork;

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeys,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.records = new PeriodicWork(
      RECORD_EVERY_MS,
      () => this.record(),
      (error) => this.log.warn({ err: error }, 'could not store when keys were used'),
    );
  }

  onApplicationBootstrap(): void {
    this.records.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.records.stop();
    await this.record().catch(() => undefined);
  }

  async record(): Promise<undefined> {
    const uses = this.keys.takeUses();
    if (uses.length === 0) return;
    try {
      await recordKeyUses(this.database, uses);
    } catch (error) {
      this.keys.keepUses(uses);
      throw error;
    }
  }
}
