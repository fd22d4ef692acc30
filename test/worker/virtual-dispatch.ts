import type { SubmitSlot, WireFormat } from '#carrier';
import type { BacklogLane, ClaimedOrder, TurnPiece } from '#persistence';
import type { CarrierPool } from '../../apps/worker/carriers/carrier-pool.js';
import { AccountsInFlight } from '../../apps/worker/dispatch/accounts-in-flight.js';
import type { BacklogStore, TurnAsk } from '../../apps/worker/dispatch/backlog-store.js';
import type { CarrierLanes } from '../../apps/worker/dispatch/carrier-lanes.js';
import { DispatchJobOrders } from '../../apps/worker/dispatch/dispatch-job-orders.js';
import type { DispatchJournal } from '../../apps/worker/dispatch/dispatch-journal.js';
import type { OrdersInHand } from '../../apps/worker/dispatch/orders-in-hand.js';
import { PutInBacklog } from '../../apps/worker/dispatch/put-in-backlog.js';
import type { RouteOrders } from '../../apps/worker/dispatch/route-orders.js';
import { SlotLines } from '../../apps/worker/dispatch/slot-lines.js';
import { TurnScope } from '../../apps/worker/dispatch/turn-scope.js';
import { TurnTaker } from '../../apps/worker/dispatch/turn-taker.js';

const FORMAT: WireFormat = { unit: 'segment', text: 'any' };
const CONCURRENCY = 32;
const COUNTER = { inc: () => undefined };

/** Ids of the orders here are `account/number`. */
export const accountOf = (id: string): string => id.slice(0, id.indexOf('/'));

/** The ring and the backlogs as the database keeps them, in memory. */
class MemoryBacklogs implements BacklogStore {
  /** In the order of their turns. */
  readonly ring = new Map<string, Record<BacklogLane, string[]>>();
  private pieces = 0;

  async take({ segmentsMax, turns, except }: TurnAsk): Promise<readonly TurnPiece[]> {
    const taken: TurnPiece[] = [];
    while (taken.length < turns) {
      const next = [...this.ring].find(([account]) => !except.includes(account));
      if (next === undefined) break;
      const [accountId, lanes] = next;
      const ids = lanes.single.splice(0, segmentsMax);
      ids.push(...lanes.batch.splice(0, segmentsMax - ids.length));
      this.ring.delete(accountId);
      if (lanes.single.length + lanes.batch.length > 0) this.ring.set(accountId, lanes);
      this.pieces += 1;
      taken.push({ backlogId: String(this.pieces), accountId, lane: 'batch', ids });
    }
    return taken;
  }

  async finish(): Promise<void> {}

  async giveBack(): Promise<void> {
    throw new Error('nothing is given back here');
  }

  async put(ids: readonly string[], _carrierId: number, lane: BacklogLane): Promise<void> {
    for (const id of ids) {
      const lanes = this.ring.get(accountOf(id)) ?? { single: [], batch: [] };
      lanes[lane].push(id);
      this.ring.set(accountOf(id), lanes);
    }
  }
}

/**
 * The scheduler of one worker, as it is, over a carrier that takes so many messages at a tick, a queue of jobs that is a list, and
 * backlogs in memory. Time is ticks.
 */
export class VirtualDispatch {
  readonly backlogs = new MemoryBacklogs();
  /** What the carrier took, in order. */
  readonly taken: string[] = [];
  readonly inFlight: AccountsInFlight;
  /** The most that an account had in flight. */
  readonly peak = new Map<string, number>();
  private readonly jobs: { account: string; ids: string[] }[] = [];
  private active = 0;
  private free = 0;
  private wakers: (() => void)[] = [];
  private answers: (() => void)[] = [];
  private readonly orders: DispatchJobOrders;
  private readonly taker: TurnTaker;
  private readonly putInBacklog: PutInBacklog;
  private readonly lines: SlotLines;
  readonly faults: unknown[] = [];

  constructor(
    private readonly slotsPerTick: number,
    cap?: number,
  ) {
    this.inFlight = new AccountsInFlight(cap);
    const carriers = this.carriers();
    this.lines = new SlotLines(carriers, this.inFlight, CONCURRENCY);
    this.putInBacklog = new PutInBacklog(this.backlogs, { singlesToBacklog: COUNTER as never });
    const journal = { claim: async (ids: readonly string[]) => ids.map(claimed), record: async () => undefined };
    const inHand = { hold: (_order: ClaimedOrder, _account: string, _lane: string, work: Promise<void>) => work };
    const means = {
      journal: journal as unknown as DispatchJournal,
      costs: { count: () => undefined },
      inHand: inHand as unknown as OrdersInHand,
      inFlight: this.inFlight,
    };
    const routing = {} as RouteOrders;
    this.orders = new DispatchJobOrders(carriers, means, routing, this.lines, this.putInBacklog, {} as CarrierLanes);
    this.taker = new TurnTaker(new TurnScope(0, carriers, this.lines), {
      ...means,
      store: this.backlogs,
      routing,
      metrics: { turns: COUNTER as never },
      onFault: (fault) => void this.faults.push(fault),
    });
    this.putInBacklog.onPut = () => void this.taker.take();
  }

  single(id: string): void {
    this.jobs.push({ account: accountOf(id), ids: [id] });
  }

  batch(ids: readonly string[]): void {
    void this.backlogs.put(ids, 0, 'batch');
    void this.taker.take();
  }

  get waitingJobs(): number {
    return this.jobs.length;
  }

  /** Lets everything go on that can, and gives the carrier another moment. */
  async tick(): Promise<void> {
    this.free = this.slotsPerTick;
    for (const answer of this.answers.splice(0)) answer();
    for (const wake of this.wakers.splice(0)) wake();
    this.work();
    await this.settle();
    const spilled = this.putInBacklog.spilledPlaces;
    this.putInBacklog.forgetSpilled(spilled.filter(({ account }) => !this.backlogs.ring.has(account)));
    await this.taker.take();
    await this.settle();
  }

  close(): void {
    this.orders.stop();
    this.lines.close();
    void this.taker.stop();
    for (const answer of this.answers.splice(0)) answer();
  }

  private work(): void {
    while (this.active < CONCURRENCY && this.jobs.length > 0) {
      const job = this.jobs.shift();
      if (job === undefined) return;
      this.active += 1;
      void this.orders
        .dispatch(job)
        .catch(() => undefined)
        .finally(() => {
          this.active -= 1;
          this.work();
        });
    }
  }

  private async settle(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private carriers(): CarrierPool {
    const pool = {
      routes: { isEmpty: true },
      all: () => [{ id: 1, readiness: 'up' }],
      takeSlots: (max: number) => {
        const count = Math.min(max, this.free);
        if (count === 0) return undefined;
        this.free -= count;
        const slots = Array.from({ length: count }, () => this.slot());
        return { carrierId: 1, format: FORMAT, slots };
      },
      slotsChanged: () => new Promise<void>((resolve) => this.wakers.push(resolve)),
    };
    return pool as unknown as CarrierPool;
  }

  private slot(): SubmitSlot {
    return {
      submit: ({ destination }) => {
        this.taken.push(destination);
        const account = accountOf(destination);
        this.peak.set(account, Math.max(this.peak.get(account) ?? 0, this.inFlight.count(account)));
        return new Promise((resolve) =>
          this.answers.push(() => resolve({ kind: 'accepted', carrierMessageId: destination })),
        );
      },
      release: () => {
        this.free += 1;
      },
      another: async () => undefined,
    };
  }
}

/** Its destination is its id, so that the carrier's side tells whose it is. */
function claimed(id: string): ClaimedOrder {
  return {
    id,
    epoch: 1,
    destination: id,
    message: 'x',
    extended: false,
    segments: 1,
    concatenationReference: undefined,
    openPositions: [1],
    sender: undefined,
    whole: false,
    format: undefined,
  };
}
