import { type BindState, type Carrier, type CarrierReceipt, createCarrier, type SubmitSlot } from '#carrier';
import type { Config } from '#config';
import { type Database, listCarriers, type StoredCarrier } from '#persistence';
import type { Logger } from '#telemetry';
import type { WorkerMetrics } from '../operations/worker-metrics.js';

/** How often the carriers are read again; a change announced by an operator takes effect at once. */
const REFRESH_EVERY_MS = 5_000;

export type ReceiptHandler = (carrier: { id: number; name: string }, receipt: CarrierReceipt) => Promise<void>;

export interface CarrierSlots {
  readonly carrierId: number;
  /** What one slot takes: a segment, or a whole message. */
  readonly unit: Carrier['unit'];
  readonly slots: readonly SubmitSlot[];
}

interface PooledCarrier {
  readonly stored: StoredCarrier;
  readonly carrier: Carrier;
}

/** The carriers as the operator has them, each with a live connection; messages go to any that is up and not paused. */
export class CarrierPool {
  private readonly pooled = new Map<number, PooledCarrier>();
  private refreshTimer: NodeJS.Timeout | undefined;
  private refreshing: Promise<void> = Promise.resolve();
  private nextTurn = 0;
  private liveWorkers = 1;
  private isClosing = false;
  private wakeAll: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Logger,
    private readonly metrics: WorkerMetrics,
    private readonly onReceipt: ReceiptHandler,
  ) {}

  async start(): Promise<void> {
    await this.refresh();
    this.refreshTimer = setInterval(() => void this.refresh(), REFRESH_EVERY_MS);
  }

  /** Reads the carriers again and connects, reconnects or lets go accordingly. One at a time. */
  refresh(): Promise<void> {
    this.refreshing = this.refreshing
      .then(() => this.readCarriers())
      .catch((error: unknown) => {
        this.log.warn({ err: error }, 'the carriers cannot be read; going on with those known');
      });
    return this.refreshing;
  }

  /** A carrier's rate is for all workers together; each takes its share. */
  shareRate(liveWorkers: number): void {
    if (liveWorkers === this.liveWorkers || liveWorkers < 1) return;
    this.liveWorkers = liveWorkers;
    for (const { stored, carrier } of this.pooled.values()) carrier.setSubmitsPerSecond(this.shareOf(stored));
  }

  /** Free slots of one carrier, at once, in turn over the carriers; undefined when none has any. */
  takeSlots(max: number): CarrierSlots | undefined {
    const carriers = [...this.pooled.values()].filter(({ stored }) => !stored.paused);
    for (let tried = 0; tried < carriers.length && !this.isClosing; tried += 1) {
      const candidate = carriers[this.nextTurn++ % carriers.length];
      const slots = candidate?.carrier.takeSlots(max) ?? [];
      if (candidate !== undefined && slots.length > 0) {
        return { carrierId: candidate.stored.carrierId, unit: candidate.carrier.unit, slots };
      }
    }
    return undefined;
  }

  /** Resolves when slots may have become free, or after the time. */
  async slotsChanged(timeoutMs: number): Promise<void> {
    const carriers: Carrier[] = [...this.pooled.values()]
      .filter(({ stored }) => !stored.paused)
      .map(({ carrier }) => carrier);
    if (carriers.length > 0) {
      await Promise.race(carriers.map((carrier) => carrier.slotsChanged(timeoutMs)));
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.wakeAll.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** For the heartbeat: what operators see of the binds. */
  states(): { name: string; state: BindState; paused: boolean }[] {
    return [...this.pooled.values()].map(({ stored, carrier }) => ({
      name: stored.name,
      state: carrier.state,
      paused: stored.paused,
    }));
  }

  async close(graceMs: number): Promise<void> {
    this.isClosing = true;
    clearInterval(this.refreshTimer);
    this.wake();
    await this.refreshing;
    await Promise.all([...this.pooled.values()].map(({ carrier }) => carrier.close(graceMs)));
    this.pooled.clear();
  }

  private async readCarriers(): Promise<void> {
    if (this.isClosing) return;
    const wanted = new Map((await listCarriers(this.database)).map((stored) => [stored.carrierId, stored]));
    for (const [id, { stored, carrier }] of this.pooled) {
      const now = wanted.get(id);
      if (now !== undefined && connection(now) === connection(stored)) continue;
      this.pooled.delete(id);
      this.log.info({ carrier: stored.name }, 'letting go of a carrier');
      void carrier.close(this.config.SHUTDOWN_GRACE_MS);
    }
    for (const [id, stored] of wanted) {
      const known = this.pooled.get(id);
      this.pooled.set(id, { stored, carrier: known?.carrier ?? this.connect(stored) });
    }
    this.wake();
  }

  private connect(stored: StoredCarrier): Carrier {
    const { carrierId: id, name } = stored;
    const carrier = createCarrier(
      { ...stored, submitsPerSecond: this.shareOf(stored) },
      { sender: this.config.SENDER, responseTimeoutMs: this.config.SUBMIT_TIMEOUT_MS },
      {
        log: this.log,
        onReceipt: (receipt) => this.onReceipt({ id, name }, receipt),
        onSubmit: (latencyMs, outcome) => {
          this.metrics.submits.inc({ carrier: name, outcome });
          this.metrics.submitSeconds.observe({ carrier: name }, latencyMs / 1_000);
        },
        onStateChange: (state) => {
          this.log.info({ carrier: name, state }, 'carrier state');
          this.wake();
        },
      },
    );
    carrier.start();
    return carrier;
  }

  private shareOf(stored: StoredCarrier): number | undefined {
    return stored.submitsPerSecond === undefined ? undefined : stored.submitsPerSecond / this.liveWorkers;
  }

  private wake(): void {
    for (const wake of this.wakeAll.splice(0)) wake();
  }
}

/** What a connection depends on: when it changes the carrier is connected anew. */
function connection(stored: StoredCarrier): string {
  const { paused: _paused, createdAt: _createdAt, ...rest } = stored;
  return JSON.stringify(rest);
}
