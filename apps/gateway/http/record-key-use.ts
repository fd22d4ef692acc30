import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, recordKeyUses } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { LOG } from '../injected.js';

const RECORD_EVERY_MS = 60_000;

/** Stores when each key was used last: once a minute, whatever the number of requests, and at the end. */
@Injectable()
export class RecordKeyUse implements OnApplicationBootstrap, OnApplicationShutdown {
  /** By key id, in `performance.now()`; until it is stored. */
  private readonly uses = new Map<string, number>();
  private readonly records = new PeriodicWork(
    RECORD_EVERY_MS,
    () => this.record(),
    (error) => this.log.warn({ err: error }, 'could not store when keys were used'),
  );

  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  note(keyId: string): void {
    this.uses.set(keyId, performance.now());
  }

  onApplicationBootstrap(): void {
    this.records.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.records.stop();
    await this.record().catch(() => undefined);
  }

  async record(): Promise<undefined> {
    const uses = Array.from(this.uses, ([keyId, usedMs]) => ({ keyId, usedMs, agoMs: performance.now() - usedMs }));
    if (uses.length === 0) return;
    await recordKeyUses(this.database, uses);
    // Those that were used meanwhile are stored the next time.
    for (const { keyId, usedMs } of uses) if (this.uses.get(keyId) === usedMs) this.uses.delete(keyId);
  }
}
