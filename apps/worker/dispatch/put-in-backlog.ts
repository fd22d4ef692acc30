import { Coalescer } from '#batching';
import { type BacklogLane, type TurnPlace } from '#persistence';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import { UNKNOWN_ACCOUNT } from './accounts-in-flight.js';
import type { BacklogStore } from './backlog-store.js';

const ITEMS_MAX = 500;

/**
 * USE CASE: puts orders that cannot go soon into their accounts' backlogs, from where they come back by turns. Moves that come
 * together share a write. Remembers whose single orders it has sent there, until their backlogs are empty: what they
 * send meanwhile gets in line behind it.
 */
export class PutInBacklog {
  private readonly puts = new Map<string, Coalescer<readonly string[], undefined>>();
  /** Places in rings, by their names. */
  private readonly spilled = new Map<string, TurnPlace>();
  /** Called when a backlog may have become longer. */
  onPut: (carrierId: number) => void = () => undefined;

  constructor(
    private readonly store: BacklogStore,
    private readonly metrics: Pick<WorkerMetrics, 'singlesToBacklog'>,
  ) {}

  /** @throws when the database cannot be reached; the sweeper finds the orders */
  async put(ids: readonly string[], carrierId: number, lane: BacklogLane): Promise<void> {
    if (ids.length === 0) return;
    const key = `${carrierId}/${lane}`;
    let puts = this.puts.get(key);
    if (puts === undefined) {
      puts = new Coalescer((groups) => this.write(groups, carrierId, lane), {
        itemsMax: ITEMS_MAX,
        weightMax: 4 * ITEMS_MAX,
        weigh: (group) => group.length,
      });
      this.puts.set(key, puts);
    }
    await puts.add(ids);
  }

  /** The same for an account that has more single orders waiting than it may. */
  async spill(account: string, ids: readonly string[], carrierId: number): Promise<void> {
    if (ids.length === 0) return;
    if (account !== UNKNOWN_ACCOUNT) this.spilled.set(nameOf(account, carrierId), { account, carrierId });
    this.metrics.singlesToBacklog.inc(ids.length);
    await this.put(ids, carrierId, 'single');
  }

  /** Whether single orders of the account wait in its backlog, sent there by this worker. */
  hasSpilled(account: string, carrierId: number): boolean {
    return this.spilled.size > 0 && this.spilled.has(nameOf(account, carrierId));
  }

  get spilledPlaces(): TurnPlace[] {
    return [...this.spilled.values()];
  }

  /** @param places where nobody waits for a turn any more */
  forgetSpilled(places: readonly TurnPlace[]): void {
    for (const { account, carrierId } of places) this.spilled.delete(nameOf(account, carrierId));
  }

  private async write(
    groups: readonly (readonly string[])[],
    carrierId: number,
    lane: BacklogLane,
  ): Promise<undefined[]> {
    await this.store.put(groups.flat(), carrierId, lane);
    this.onPut(carrierId);
    return groups.map(() => undefined);
  }
}

function nameOf(account: string, carrierId: number): string {
  return `${carrierId}/${account}`;
}
