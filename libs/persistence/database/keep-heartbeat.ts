import type { Queryable } from './database.js';
import { ALIVE_WITHIN_SECONDS, type Heartbeat, recordHeartbeat, removeHeartbeat } from './heartbeat.js';

const BEAT_EVERY_MS = 2_000;

/** Reports a process to the database while it lives, and takes the report back when it ends of its own will. */
export class KeepHeartbeat {
  private heardAtMs = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();

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
    await this.beat();
    this.timer = setInterval(() => {
      this.beating = this.beat();
    }, BEAT_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    const { processId } = await this.describe();
    await removeHeartbeat(this.database, processId).catch(() => undefined);
  }

  private async beat(): Promise<void> {
    try {
      await recordHeartbeat(this.database, await this.describe());
      this.heardAtMs = performance.now();
      await this.onBeat();
    } catch (error) {
      this.onFailure(error);
    }
  }
}
