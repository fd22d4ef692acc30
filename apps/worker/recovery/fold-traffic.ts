import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, foldTraffic } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { LOG } from '../injected.js';

const EVERY_MS = 3_000;
/** Rows in one transaction: some tens of milliseconds. */
const ROWS_MAX = 5_000;

/**
 * USE CASE: counts what happens to messages, for the operators' overview. Every worker runs it; the database lets one
 * at a time.
 */
@Injectable()
export class FoldTraffic implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly slices: PeriodicWork;

  constructor(database: Database, @Inject(LOG) log: Logger) {
    this.slices = new PeriodicWork(
      EVERY_MS,
      async () => ((await foldTraffic(database, ROWS_MAX)) < ROWS_MAX ? EVERY_MS : EVERY_MS / 10),
      (error) => log.warn({ err: error }, 'could not count what happens to messages; trying again'),
    );
  }

  onApplicationBootstrap(): void {
    this.slices.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.slices.stop();
  }
}
