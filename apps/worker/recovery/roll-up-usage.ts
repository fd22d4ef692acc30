import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, rollUpUsage } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { LOG } from '../injected.js';

const EVERY_MS = 60_000;
/** Chunks in one transaction: a few tenths of a second. */
const CHUNKS_MAX = 20;

/**
 * USE CASE: counts what accounts have used. After each slice it rests as long as that took, so that it uses at most
 * half of one connection. Every worker runs it; the database lets one at a time.
 */
@Injectable()
export class RollUpUsage implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly slices: PeriodicWork;

  constructor(database: Database, @Inject(LOG) log: Logger) {
    this.slices = new PeriodicWork(
      EVERY_MS,
      async () => {
        const startMs = performance.now();
        const chunks = await rollUpUsage(database, CHUNKS_MAX);
        return chunks === 0 ? EVERY_MS : performance.now() - startMs;
      },
      (error) => log.warn({ err: error }, 'could not count what accounts have used; trying again'),
    );
  }

  onApplicationBootstrap(): void {
    this.slices.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.slices.stop();
  }
}
