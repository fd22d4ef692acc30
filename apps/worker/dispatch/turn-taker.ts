import type { TurnPiece } from '#persistence';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { BacklogStore } from './backlog-store.js';
import { type DispatchMeans, DispatchRun } from './dispatch-run.js';
import { Pace } from './pace.js';
import type { RouteOrders } from './route-orders.js';
import type { TurnScope } from './turn-scope.js';

/** Segments in one turn: the same whatever the pace, so that turns are equal. */
const QUANTUM = 25;
/** Turns that are taken ahead: what goes out in half a second, so that nobody waits long for those before. */
const TURNS_MAX = 4;
const AHEAD_SECONDS = 0.5;
/** The same for orders that only have to be routed. */
const ROUTED_SEGMENTS = 1_000;
/** Orders of turns that wait for slots here, those of accounts at their cap included. */
const WAITING_MAX = 2_000;
const SLOTS_WAIT_MS = 1_000;
/** After a look for a turn in vain. */
const FRUITLESS_MS = 20;
/** After a look for other carriers in vain. */
const LEAVE_AGAIN_MS = 3_000;

export interface TurnMeans extends DispatchMeans {
  readonly store: BacklogStore;
  readonly routing: Pick<RouteOrders, 'place' | 'replace'>;
  readonly metrics: Pick<WorkerMetrics, 'turns'>;
  readonly onFault: (fault: unknown) => void;
}

/**
 * USE CASE: takes turns of one scope: the account that has waited longest gets a quantum of its backlog handed to carriers, and goes to
 * the end of the ring. Only as much is taken ahead as will go out in a moment, so who comes later is not late.
 */
export class TurnTaker {
  private readonly serving = new Set<Promise<void>>();
  private readonly pace = new Pace();
  private done: string[] = [];
  private back: string[] = [];
  private isTaking = false;
  private isWanted = false;
  private isStopped = false;
  private leaveAgainMs = 0;
  /** Whether somebody may wait for a turn, as far as this worker knows. */
  private hasMore = false;
  private notBeforeMs = 0;

  constructor(
    private readonly scope: TurnScope,
    private readonly means: TurnMeans,
  ) {
    scope.line.onProgress = () => {
      if (this.hasMore && !this.isTaking && this.mayServeMore() && performance.now() >= this.notBeforeMs)
        void this.take();
    };
  }

  /** Takes turns as long as there are some and they can go on. Never rejects. */
  async take(): Promise<void> {
    this.isWanted = true;
    if (this.isTaking) return;
    this.isTaking = true;
    try {
      while (this.isWanted && !this.isStopped) {
        this.isWanted = false;
        while (!this.isStopped && (await this.next()));
      }
    } catch (fault) {
      this.means.onFault(fault);
    } finally {
      this.isTaking = false;
    }
  }

  /** Tells the database what is over. Never rejects: what it does not hear now it hears the next time. */
  async report(): Promise<void> {
    const { store, onFault } = this.means;
    const [done, back] = [this.done, this.back];
    if (done.length + back.length === 0 || this.isTaking) return;
    [this.done, this.back] = [[], []];
    try {
      if (done.length > 0) await store.finish(done.splice(0));
      if (back.length > 0) await store.giveBack(back.splice(0));
    } catch (fault) {
      this.done.push(...done);
      this.back.push(...back);
      onFault(fault);
    }
  }

  /** Nothing more is taken; resolves when what is not handed to a carrier yet is given back, for which the line is to be closed. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.serving);
    while (this.isTaking) await new Promise((resolve) => setTimeout(resolve, 10));
    await this.report();
  }

  /** One turn; whether there may be another one. */
  private async next(): Promise<boolean> {
    switch (this.mode) {
      case 'wait':
        return false;
      case 'serve': {
        if (!this.mayServeMore()) return false;
        const pieces = await this.turn(QUANTUM, this.turnsAhead);
        for (const piece of pieces) this.keep(this.serve(piece));
        return pieces.length > 0;
      }
      case 'route':
        return this.each(await this.turn(ROUTED_SEGMENTS, 1), ({ ids, accountId, lane }) =>
          this.means.routing.place(ids, accountId, lane).then(() => true),
        );
      case 'leave':
        return this.each(await this.turn(ROUTED_SEGMENTS, 1), ({ ids, accountId, lane }) =>
          this.means.routing.replace(this.scope.carrierId, ids, accountId, lane),
        );
      default:
        throw new Error('unreachable');
    }
  }

  private async turn(segmentsMax: number, turns: number): Promise<readonly TurnPiece[]> {
    const done = this.done.splice(0);
    try {
      const except = this.scope.line.bulkAccountsAtCap;
      const pieces = await this.means.store.take({ carrierId: this.scope.carrierId, segmentsMax, turns, except, done });
      if (pieces.length > 0) this.means.metrics.turns.inc(Math.min(turns, pieces.length));
      this.hasMore = pieces.length > 0 || except.length > 0;
      // Those at their cap may be all that there are: then it is not asked at every answer of a carrier.
      if (pieces.length === 0) this.notBeforeMs = performance.now() + FRUITLESS_MS;
      return pieces;
    } catch (fault) {
      this.done.push(...done);
      throw fault;
    }
  }

  /** Works on the pieces of a turn one after another; what cannot go on is given back, and ends it for now. */
  private async each(pieces: readonly TurnPiece[], work: (piece: TurnPiece) => Promise<boolean>): Promise<boolean> {
    let goesOn = pieces.length > 0;
    for (const piece of pieces) {
      try {
        if (await work(piece)) {
          this.done.push(piece.backlogId);
          continue;
        }
        this.leaveAgainMs = performance.now() + LEAVE_AGAIN_MS;
      } catch (fault) {
        this.means.onFault(fault);
      }
      this.back.push(piece.backlogId);
      goesOn = false;
    }
    return goesOn;
  }

  private async serve({ backlogId, accountId, ids }: TurnPiece): Promise<void> {
    const run = new DispatchRun(this.means, accountId, 'bulk');
    let left = ids;
    try {
      while (left.length > 0 && !this.isStopped) {
        const taken = await this.scope.line.take(accountId, 'bulk', left.length, SLOTS_WAIT_MS);
        if (taken !== undefined) {
          run.begin(left.slice(0, taken.slots.length), taken);
          left = left.slice(taken.slots.length);
          this.pace.note(taken.slots.length);
        } else if (this.mode !== 'serve') break;
      }
      await run.claimed();
      if (left.length === 0) this.done.push(backlogId);
      else this.back.push(backlogId);
    } catch {
      // The run tells of it; what was not claimed is for somebody else.
      this.back.push(backlogId);
    }
    await run.end().catch(this.means.onFault);
  }

  private keep(work: Promise<void>): void {
    const kept = work.finally(() => this.serving.delete(kept));
    this.serving.add(kept);
  }

  private mayServeMore(): boolean {
    const { line } = this.scope;
    return (
      !this.isStopped && line.bulkThatMayGo < this.turnsAhead * QUANTUM && line.waitingOrders('bulk') < WAITING_MAX
    );
  }

  private get turnsAhead(): number {
    return Math.min(TURNS_MAX, Math.max(1, Math.ceil((this.pace.perSecond * AHEAD_SECONDS) / QUANTUM)));
  }

  private get mode() {
    return this.scope.mode(performance.now() >= this.leaveAgainMs);
  }
}
