import { Coalescer } from '#batching';
import { inOrder, steadyRandom, takesMessages } from '#carrier';
import type { Config } from '#config';
import { type BacklogLane, type Database, failUnroutable, type OrderPlace, orderPlaces } from '#persistence';
import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { CarrierLanes } from './carrier-lanes.js';
import type { DispatchRun } from './dispatch-run.js';
import type { PutInBacklog } from './put-in-backlog.js';
import type { SlotLines } from './slot-lines.js';

const ITEMS_MAX = 500;
const JOB_WEIGHT_MAX = 2_000;

/** What becomes of the orders of a job. */
interface Plan {
  /** Orders by the carrier that is to take them. */
  readonly carriers: Map<number, string[]>;
  readonly unroutable: string[];
}

/**
 * USE CASE: brings each order to a carrier of its route: the longest prefix decides, then who takes messages now, then rank
 * and weight. What gets a slot at once goes out, the rest waits on its carrier's queue; what no route is for fails.
 */
export class RouteOrders {
  private readonly places: Coalescer<readonly string[], OrderPlace[]>;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly carriers: CarrierPool,
    private readonly lanes: CarrierLanes,
    private readonly lines: SlotLines,
    private readonly backlog: PutInBacklog,
    private readonly metrics: WorkerMetrics,
    private readonly offerLater: (id: string, afterMs: number, account: string) => void,
  ) {
    this.places = new Coalescer((groups) => this.readPlaces(groups), {
      itemsMax: ITEMS_MAX,
      weightMax: JOB_WEIGHT_MAX,
      weigh: (group) => group.length,
    });
  }

  /** @throws when the database or the queue cannot be reached; what was not handed on stays queued for the sweeper */
  async send(ids: readonly string[], run: DispatchRun): Promise<void> {
    const plan = await this.plan(ids);
    await Promise.all([
      ...[...plan.carriers].map(([carrierId, some]) => this.toCarrier(carrierId, some, run)),
      this.fail(plan.unroutable, run.account),
    ]);
  }

  /** The same for what came by a turn: all of it waits in the account's backlogs for the carriers, and comes back by their turns. */
  async place(ids: readonly string[], account: string, lane: BacklogLane): Promise<void> {
    const plan = await this.plan(ids);
    await Promise.all([
      ...[...plan.carriers].map(([carrierId, some]) => this.backlog.put(some, carrierId, lane)),
      this.fail(plan.unroutable, account),
    ]);
  }

  /** Moves what waits in a backlog for a carrier that takes nothing to others of its route; returns whether anything could go. */
  async replace(carrierId: number, ids: readonly string[], account: string, lane: BacklogLane): Promise<boolean> {
    const plan = await this.plan(ids, true);
    const staying = [...plan.carriers].filter(
      ([other]) => other === carrierId || !takesMessages(this.carriers.readinessOf(other)),
    );
    const moving = [...plan.carriers].filter((each) => !staying.includes(each));
    if (moving.length === 0 && plan.unroutable.length === 0) return false;
    await Promise.all([
      ...moving.map(([other, some]) => this.backlog.put(some, other, lane)),
      this.fail(plan.unroutable, account),
    ]);
    await this.backlog.put(
      staying.flatMap(([, some]) => some),
      carrierId,
      lane,
    );
    return true;
  }

  /**
   * Takes what waits for a carrier that takes no messages to another one that does; returns what has to go on waiting.
   */
  async leave(carrierId: number, ids: readonly string[], run: DispatchRun): Promise<readonly string[]> {
    const isThereAnother = this.carriers
      .all()
      .some((other) => other.id !== carrierId && takesMessages(other.readiness));
    if (!isThereAnother) return ids;
    const plan = await this.plan(ids, true);
    const staying: string[] = [];
    const moves: Promise<void>[] = [this.fail(plan.unroutable, run.account)];
    for (const [other, some] of plan.carriers) {
      if (other === carrierId || !takesMessages(this.carriers.readinessOf(other))) staying.push(...some);
      else moves.push(this.toCarrier(other, some, run));
    }
    await Promise.all(moves);
    return staying;
  }

  /** @param isBegun some may have been begun: then their carrier has to be asked for although no prefix matters */
  private async plan(ids: readonly string[], isBegun = false): Promise<Plan> {
    const { routes } = this.carriers;
    const plan: Plan = { carriers: new Map(), unroutable: [] };
    const readiness = new Map(this.carriers.all().map((pooled) => [pooled.id, pooled.readiness] as const));
    const readinessOf = (carrierId: number) => readiness.get(carrierId) ?? 'removed';
    for (const { id, destination, begunBy } of await this.placesOf(ids, isBegun)) {
      const targets = routes.isEmpty
        ? [...readiness.keys()].flatMap((carrierId) =>
            readiness.get(carrierId) === 'excluded' ? [] : [{ carrierId, rank: 1, weight: 1 }],
          )
        : routes.find(destination)?.targets;
      if (begunBy !== undefined) assign(plan, begunBy, id);
      else if (targets === undefined) plan.unroutable.push(id);
      else {
        const [first] = inOrder(targets, readinessOf, steadyRandom(id));
        if (first === undefined) continue;
        if (takesMessages(readinessOf(first.carrierId))) this.countFailover(first, targets);
        assign(plan, first.carrierId, id);
      }
    }
    return plan;
  }

  private async placesOf(ids: readonly string[], isBegun: boolean): Promise<readonly OrderPlace[]> {
    if (isBegun || this.carriers.routes.asksForDestinations) return this.places.add(ids);
    return ids.map((id) => ({ id, destination: '', begunBy: undefined }));
  }

  private async readPlaces(groups: readonly (readonly string[])[]): Promise<OrderPlace[][]> {
    const byId = new Map((await orderPlaces(this.database, groups.flat())).map((place) => [place.id, place]));
    return groups.map((group) =>
      group.flatMap((id) => {
        const place = byId.get(id);
        if (place === undefined) this.metrics.duplicateJobs.inc();
        return place === undefined ? [] : [place];
      }),
    );
  }

  private async toCarrier(carrierId: number, ids: readonly string[], run: DispatchRun): Promise<void> {
    const taken = this.lines.of(carrierId).takeNow(run.account, ids.length);
    const count = taken?.slots.length ?? 0;
    if (taken !== undefined) run.begin(ids.slice(0, count), taken);
    if (count < ids.length) await this.lanes.wait(carrierId, run.account, ids.slice(count));
  }

  /** By the routes as the database has them: what this worker has not heard of yet fails nobody's message. */
  private async fail(ids: readonly string[], account: string): Promise<void> {
    if (ids.length === 0) return;
    const moves = await failUnroutable(this.database, ids, this.config.IN_DOUBT_WAIT_SECONDS);
    for (const { state } of moves) this.metrics.moves.inc({ state });
    if (moves.length === ids.length) return;
    const ended = new Set(moves.map(({ id }) => id));
    await this.carriers.refresh();
    for (const id of ids) if (!ended.has(id)) this.offerLater(id, 500, account);
  }

  private countFailover(
    chosen: { readonly carrierId: number; readonly rank: number },
    targets: readonly { readonly rank: number }[],
  ): void {
    const firstRank = Math.min(...targets.map(({ rank }) => rank));
    if (chosen.rank > firstRank) this.metrics.failovers.inc({ carrier: this.carriers.nameOf(chosen.carrierId) });
  }
}

function assign(plan: Plan, carrierId: number, id: string): void {
  const ids = plan.carriers.get(carrierId);
  if (ids === undefined) plan.carriers.set(carrierId, [id]);
  else ids.push(id);
}
