import type { DispatchJob } from '#queue';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import { UNKNOWN_ACCOUNT } from './accounts-in-flight.js';
import { type DispatchMeans, DispatchRun, HandedBack } from './dispatch-run.js';
import type { PutInBacklog } from './put-in-backlog.js';
import type { RouteOrders } from './route-orders.js';
import type { SlotLines } from './slot-lines.js';

const SLOTS_WAIT_MS = 1_000;

/**
 * USE CASE: works on orders that wait for one carrier. When it takes no messages for seconds, those for which another
 * carrier of their route does go there; all others wait: here while there is room, else on the queue, and what an account has
 * here beyond its measure in its backlog.
 */
export class DispatchCarrierOrders {
  private isStopping = false;

  constructor(
    private readonly carriers: CarrierPool,
    private readonly means: DispatchMeans,
    private readonly routing: RouteOrders,
    private readonly lines: SlotLines,
    private readonly backlog: PutInBacklog,
  ) {}

  async dispatch(carrierId: number, { ids, account = UNKNOWN_ACCOUNT }: DispatchJob): Promise<void> {
    const run = new DispatchRun(this.means, account, 'interactive');
    const line = this.lines.of(carrierId);
    let left = ids;
    try {
      while (left.length > 0 && !this.isStopping) {
        if (this.backlog.hasSpilled(account, carrierId) || this.lines.isFullFor(account, line)) {
          await this.backlog.spill(account, left, carrierId);
          left = [];
          break;
        }
        const taken = await line.take(account, 'interactive', left.length, SLOTS_WAIT_MS);
        if (taken !== undefined) {
          run.begin(left.slice(0, taken.slots.length), taken);
          left = left.slice(taken.slots.length);
          continue;
        }
        if (this.carriers.readinessOf(carrierId) === 'elsewhere') break;
        if (this.carriers.isToBeLeft(carrierId)) left = await this.routing.leave(carrierId, left, run);
        if (this.lines.isCrowded(line)) {
          await this.backlog.spill(account, left, carrierId);
          left = [];
        }
      }
    } catch (fault) {
      run.note(fault);
    }
    await run.end();
    if (left.length > 0)
      throw new HandedBack('this worker cannot reach the carrier; another one does the rest of this job');
  }

  stop(): void {
    this.isStopping = true;
  }
}
