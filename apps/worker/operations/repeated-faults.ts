import { Inject, Injectable } from '@nestjs/common';
import { type Config, queueSetting } from '#config';
import { LineLimit, type Logger } from '#telemetry';
import { CONFIG, LOG } from '../injected.js';

/** Logs the faults that an outage causes at every attempt: each kind at most once a second. */
@Injectable()
export class RepeatedFaults {
  private readonly ofQueue = new LineLimit(1);
  private readonly ofJobs = new LineLimit(1);
  /** Of each step of the reconciler: one that fails always must not hide another one. */
  private readonly ofSteps = new Map<string, LineLimit>();

  constructor(
    @Inject(LOG) private readonly log: Logger,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** BullMQ reconnects by itself. */
  queueUnreachable(error: unknown): void {
    if (!this.ofQueue.admits()) return;
    this.log.warn({ err: error }, `the queue cannot be reached (${queueSetting(this.config)})`);
  }

  notDispatched(error: unknown): void {
    if (!this.ofJobs.admits()) return;
    this.log.warn({ err: error }, 'orders could not be dispatched; they are taken over when their lease ends');
  }

  notReconciled(step: string, error: unknown): void {
    const lines = this.ofSteps.get(step) ?? new LineLimit(1);
    this.ofSteps.set(step, lines);
    if (lines.admits()) this.log.warn({ err: error, step }, 'a step of the reconciler failed; it is tried again');
  }
}
