import { awaitFact } from '../../harness/await-fact.js';
import type { ForeignTarget } from '../../harness/load/dialects.js';
import type { SimulatorControl, SimulatorCounters } from '../../harness/simulator-control.js';

/** Another gateway, bound to the same carrier simulator. */
export interface ForeignGateway {
  readonly id: string;
  /** Its name and version, as far as they are known. */
  readonly title: string;
  /** What of an accepted message outlives a crash. */
  readonly durability: string;
  readonly target: ForeignTarget;
  /** Whether its backlog may be thrown away: it is the bench's own. */
  readonly isDisposable: boolean;
  /** Its processes by pid, where the bench knows them. */
  pids(): ReadonlyMap<number, string>;
  /** @throws Error in the words of a process that has ended */
  assertAlive(): void;
  /**
   * Gets rid of everything that it has accepted and not delivered, so that it is idle while ours is measured.
   *
   * @param before what the simulator had counted before it was given `accepted` messages
   */
  settle(before: SimulatorCounters, accepted: number): Promise<void>;
  /** Its operator's limit for this carrier; returns false where the bench cannot set it. */
  limitItself(perSecond: number | undefined): Promise<boolean>;
  close(): Promise<void>;
}

const BIND_TIMEOUT_MS = 120_000;
const SETTLE_TIMEOUT_MS = 900_000;

/** A gateway that somebody else has started and bound to the simulator. */
export class AttachedGateway implements ForeignGateway {
  readonly title: string;
  readonly isDisposable = false;
  readonly durability = 'as it was configured by whoever started it';

  private constructor(
    readonly target: ForeignTarget,
    private readonly simulator: SimulatorControl,
    private readonly signal: AbortSignal,
  ) {
    this.title = target.dialect;
  }

  get id(): string {
    return this.target.dialect;
  }

  /** Waits until somebody is bound to the simulator. The worker must not run yet: it would be taken for the other. */
  static async attach(
    target: ForeignTarget,
    simulator: SimulatorControl,
    signal: AbortSignal,
  ): Promise<AttachedGateway> {
    await awaitFact('the other gateway is bound to the simulator', BIND_TIMEOUT_MS, async () => {
      signal.throwIfAborted();
      return (await simulator.state()).binds.length > 0 || undefined;
    });
    return new AttachedGateway(target, simulator, signal);
  }

  pids(): ReadonlyMap<number, string> {
    return new Map();
  }

  assertAlive(): void {}

  async settle(before: SimulatorCounters, accepted: number): Promise<void> {
    await awaitFact(`${this.title} has delivered what it accepted`, SETTLE_TIMEOUT_MS, async () => {
      this.signal.throwIfAborted();
      const { counters, pendingReceipts } = await this.simulator.state();
      return (counters.taken - before.taken >= accepted && pendingReceipts === 0) || undefined;
    });
  }

  async limitItself(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {}
}
