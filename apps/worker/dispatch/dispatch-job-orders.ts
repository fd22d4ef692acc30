import { ANY_CARRIER } from '#persistence';
import type { DispatchJob } from '#queue';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import { UNKNOWN_ACCOUNT } from './accounts-in-flight.js';
import type { CarrierLanes } from './carrier-lanes.js';
import { type DispatchMeans, DispatchRun, HandedBack } from './dispatch-run.js';
import type { PutInBacklog } from './put-in-backlog.js';
import type { RouteOrders } from './route-orders.js';
import type { SlotLines } from './slot-lines.js';

const SLOTS_WAIT_MS = 1_000;

/**
 * USE CASE: works on the orders of a job: takes window slots first and claims as many orders as it has slots, so that
 * what is recorded as submitting is what is about to be written, and no order waits claimed for a full window.
 *
 * Without routes any carrier may take any message, so nobody waits for a slow one: the orders of a job wait here for their
 * turn at the slots of any. With routes each order has its carriers: what gets no slot at once waits on the queue of its carrier.
 * What an account has here beyond its measure goes to its backlog, so that its jobs keep nobody else's waiting.
 */
export class DispatchJobOrders {
  private isStopping = false;

  constructor(
    private readonly carriers: CarrierPool,
    private readonly means: DispatchMeans,
    private readonly routing: RouteOrders,
    private readonly lines: SlotLines,
    private readonly backlog: PutInBacklog,
    private readonly lanes: CarrierLanes,
  ) {}

  /** @throws the first fault; the orders that it does not concern are worked on all the same */
  async dispatch({ ids, account = UNKNOWN_ACCOUNT }: DispatchJob): Promise<void> {
    const run = new DispatchRun(this.means, account, 'interactive');
    let left = ids;
    try {
      while (left.length > 0 && !this.isStopping) {
        left = this.carriers.routes.isEmpty ? await this.toAnyCarrier(left, run) : await this.byRoute(left, run);
      }
    } catch (fault) {
      run.note(fault);
    }
    await run.end();
    if (left.length > 0) throw new HandedBack('the worker stops; another one does the rest of this job');
  }

  /** From now on nothing new is claimed; what is not claimed stays queued for another worker. */
  stop(): void {
    this.isStopping = true;
  }

  private async byRoute(ids: readonly string[], run: DispatchRun): Promise<readonly string[]> {
    await this.routing.send(ids, run);
    return [];
  }

  /** Hands on as many as get slots, or waits for some; returns what is left. */
  private async toAnyCarrier(ids: readonly string[], run: DispatchRun): Promise<readonly string[]> {
    const line = this.lines.any;
    if (this.backlog.hasSpilled(run.account, ANY_CARRIER) || this.lines.isFullFor(run.account, line)) {
      await this.backlog.spill(run.account, ids, ANY_CARRIER);
      return [];
    }
    const states = this.carriers.all().map((pooled) => ({ id: pooled.id, readiness: pooled.readiness }));
    const elsewhere = states.find(({ readiness }) => readiness === 'elsewhere');
    if (elsewhere !== undefined && !states.some(({ readiness }) => readiness === 'up')) {
      // This worker holds no bind that could take them, another one does.
      await this.lanes.wait(elsewhere.id, run.account, ids);
      return [];
    }
    const taken = await line.take(run.account, 'interactive', ids.length, SLOTS_WAIT_MS);
    if (taken !== undefined) {
      run.begin(ids.slice(0, taken.slots.length), taken);
      return ids.slice(taken.slots.length);
    }
    if (!this.lines.isCrowded(line)) return ids;
    await this.backlog.spill(run.account, ids, ANY_CARRIER);
    return [];
  }
}
