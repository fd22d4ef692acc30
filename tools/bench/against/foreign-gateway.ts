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
}

const BIND_TIMEOUT_MS = 120_000;
const SETTLE_TIMEOUT_MS = 900_000;

/**
 * Waits until a gateway that somebody else has started is bound. Our worker must not run yet: it would be taken for it.
 */
export async function attachGateway(
  target: ForeignTarget,
  simulator: SimulatorControl,
  signal: AbortSignal,
): Promise<ForeignGateway> {
  await awaitFact('the other gateway is bound to the simulator', BIND_TIMEOUT_MS, signal, async () => {
    return (await simulator.state()).binds.length > 0;
  });
  const { dialect } = target;
  return {
    id: dialect,
    title: dialect,
    durability: 'as it was configured by whoever started it',
    target,
    isDisposable: false,
    pids: () => new Map(),
    assertAlive: () => undefined,
    async settle(before, accepted) {
      await awaitFact(`${dialect} has delivered what it accepted`, SETTLE_TIMEOUT_MS, signal, async () => {
        const { counters, pendingReceipts } = await simulator.state();
        return counters.taken - before.taken >= accepted && pendingReceipts === 0;
      });
    },
    limitItself: async () => false,
  };
}
