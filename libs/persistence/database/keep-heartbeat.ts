import { PeriodicWork } from '#timing';
import type { Queryable } from './database.js';
import { ALIVE_WITHIN_SECONDS, type Heartbeat, recordHeartbeat, removeHeartbeat } from './heartbeat.js';

const BEAT_EVERY_MS = 2_000;

/** Reports a process to the database while it lives, and takes the report back when it ends of its own will. */
export class KeepHeartbeat {
  private heardAtMs = Number.NEGATIVE_INFINITY;
  /** As the last report has found. */
  private clockOffsetMs: number | undefined;
  private readonly beats = new PeriodicWork(
    BEAT_EVERY_MS,
    () => this.beat(),
    (error) => this.onFailure(error),
  );

  constructor(
    private readonly database: Queryable,
    private readonly describe: () => Promise<Heartbeat>,
    private readonly onFailure: (error: unknown) => void,
    /** After each report that arrived. */
    private readonly onBeat: () => Promise<void> = async () => undefined,
  ) {}

  /** Whether the others take this process for alive. */
  get isHeard(): boolean {
    return performance.now() - this.heardAtMs < ALIVE_WITHIN_SECONDS * 1_000;
  }

  async start(): Promise<void> {
    await this.beat().catch(this.onFailure);
    this.beats.start();
  }

  async stop(): Promise<void> {
    await this.beats.stop();
    const { processId } = await this.describe();
    await removeHeartbeat(this.database, processId).catch(() => undefined);
  }

  private async beat(): Promise<undefined> {
    const { details, ...heartbeat } = await this.describe();
    const { clockOffsetMs } = this;
    this.clockOffsetMs = await recordHeartbeat(this.database, {
      ...heartbeat,
      details: { ...details, clockOffsetMs },
    });
    this.heardAtMs = performance.now();
    await this.onBeat();
  }
}
