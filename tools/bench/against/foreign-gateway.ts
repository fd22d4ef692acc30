import type { ForeignTarget } from '../../harness/load/dialects.js';
import type { SimulatorCounters } from '../../harness/simulator-control.js';

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
