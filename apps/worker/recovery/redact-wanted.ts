import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, redactWanted } from '#persistence';
import type { Logger } from '#telemetry';
import { PeriodicWork } from '#timing';
import { BOUNDS, LOG } from '../injected.js';

export interface RedactionBounds {
  /** Before it is looked again whether something is wanted. */
  readonly everyMs: number;
  /** Messages in one transaction: it locks them. */
  readonly sliceMessagesMax: number;
}

const REDACTION: RedactionBounds = { everyMs: 10_000, sliceMessagesMax: 500 };

/**
 * USE CASE: redacts what somebody has asked for and was too much for one transaction, and messages that were not final
 * before. It works slice after slice, and rests after each as long as it took. Every worker runs it; the database lets
 * one at a time. After a crash the next worker goes on with the slice that was not committed.
 */
@Injectable()
export class RedactWanted implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly slices: PeriodicWork;

  constructor(
    database: Database,
    @Inject(LOG) log: Logger,
    @Inject(BOUNDS) bounds: { readonly redaction?: RedactionBounds },
  ) {
    const { everyMs, sliceMessagesMax } = bounds.redaction ?? REDACTION;
    this.slices = new PeriodicWork(
      everyMs,
      async () => {
        const startMs = performance.now();
        const looked = await redactWanted(database, sliceMessagesMax);
        return looked < sliceMessagesMax ? everyMs : performance.now() - startMs;
      },
      (error) => log.warn({ err: error }, 'could not redact what is wanted; trying again'),
    );
  }

  onApplicationBootstrap(): void {
    this.slices.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.slices.stop();
  }
}
