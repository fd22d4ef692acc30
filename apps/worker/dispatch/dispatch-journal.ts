import { setTimeout as delay } from 'node:timers/promises';
import { Coalescer } from '#batching';
import type { WireFormat } from '#carrier';
import type { Config } from '#config';
import {
  assignConcatenationReferences,
  type ClaimedOrder,
  claimOrders,
  type Database,
  failureKind,
  type Intent,
  isPoison,
  recordIntents,
  recordSubmits,
  reschedule,
  type SubmitResult,
} from '#persistence';
import type { WorkerMetrics } from '../operations/worker-metrics.js';
import type { ReceiptWait } from '../receipts/receipt-wait.js';

const ITEMS_MAX = 500;
/** A write of answers costs the database 1.6 ms before the first one and 0.08 ms for each: at full load it pays to gather. */
const GATHER_MS = 25;
const RETRY_AFTER_MS = 200;

interface FormatClaims {
  readonly format: string;
  readonly gathered: Coalescer<readonly string[], ClaimedOrder[]>;
}

/**
 * Everything that dispatch writes, gathered: while one write is under way the next one gathers, so a busy worker makes
 * a few commits for each window instead of several for each message.
 */
export class DispatchJournal {
  /** By carrier; what is claimed together is written in one format. */
  private readonly claims = new Map<number, FormatClaims>();
  private readonly intents: Coalescer<Intent, boolean>;
  private readonly references: Coalescer<string, number>;
  private readonly results: Coalescer<SubmitResult, undefined>;
  private lastResult: Promise<undefined> = Promise.resolve(undefined);

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly workerId: string,
    private readonly metrics: WorkerMetrics,
    private readonly wait: ReceiptWait,
  ) {
    this.intents = new Coalescer((items) => this.written('intent', items, recordIntents(database, items)), {
      itemsMax: ITEMS_MAX,
    });
    this.references = new Coalescer((ids) => this.assignReferences(ids), { itemsMax: ITEMS_MAX });
    this.results = new Coalescer((items) => this.recordUntilDone(items), {
      itemsMax: ITEMS_MAX,
      gatherMs: GATHER_MS,
      isPoison,
    });
  }

  /**
   * Takes orders for a carrier; what does not come back is somebody else's or done.
   *
   * @param format of the connection that is going to write them
   */
  claim(ids: readonly string[], carrierId: number, format: WireFormat): Promise<ClaimedOrder[]> {
    let claims = this.claims.get(carrierId);
    if (claims?.format !== format.text) {
      // What the one before has gathered is claimed by it, in its own format.
      const gathered = new Coalescer<readonly string[], ClaimedOrder[]>(
        (groups) => this.claimGroups(groups, carrierId, format),
        { itemsMax: ITEMS_MAX, weightMax: ITEMS_MAX, weigh: (group) => group.length },
      );
      claims = { format: format.text, gathered };
      this.claims.set(carrierId, claims);
    }
    return claims.gathered.add(ids);
  }

  /** False when the order is no longer ours: then nothing may be written to the wire. */
  intend(intent: Intent): Promise<boolean> {
    return this.intents.add(intent);
  }

  concatenationReference(id: string): Promise<number> {
    return this.references.add(id);
  }

  record(result: SubmitResult): Promise<undefined> {
    if (result.kind === 'accepted') this.wait.accepted(result.answer);
    this.lastResult = this.results.add(result);
    return this.lastResult;
  }

  /** Resolves when every answer that has come until now is written, or cannot be. */
  async answersWritten(): Promise<void> {
    // Answers are written in the order in which they come.
    await this.lastResult.catch(() => undefined);
  }

  async drain(): Promise<void> {
    await this.results.drain();
  }

  private async claimGroups(
    groups: readonly (readonly string[])[],
    carrierId: number,
    format: WireFormat,
  ): Promise<ClaimedOrder[][]> {
    const ids = groups.flat();
    const { claimed, elsewhere } = await claimOrders(this.database, ids, {
      workerId: this.workerId,
      carrierId,
      leaseSeconds: this.config.CLAIM_LEASE_SECONDS,
      whole: format.unit === 'message',
      format: format.text,
    });
    this.metrics.writes.observe({ kind: 'claim' }, ids.length);
    this.metrics.duplicateJobs.inc(Math.max(0, ids.length - claimed.length - elsewhere.length));
    // The carrier that has begun an order ends it: the feeder brings it there.
    await reschedule(
      this.database,
      elsewhere.map(({ id }) => id),
    );
    const byId = new Map(claimed.map((order) => [order.id, order]));
    return groups.map((group) =>
      group.flatMap((id) => {
        const order = byId.get(id);
        // An id that stands in two groups belongs to the first.
        byId.delete(id);
        return order === undefined ? [] : [order];
      }),
    );
  }

  private async assignReferences(ids: readonly string[]): Promise<number[]> {
    const references = await assignConcatenationReferences(this.database, ids);
    return ids.map((id) => references.get(id) ?? 0);
  }

  /**
   * An answer of the carrier must not be lost: it is written until the database takes it. Writing it twice changes
   * nothing, and after the lease it is the reconciler's.
   */
  private async recordUntilDone(results: readonly SubmitResult[]): Promise<undefined[]> {
    const deadlineMs = performance.now() + this.config.CLAIM_LEASE_SECONDS * 1_000;
    for (;;) {
      try {
        const moves = await recordSubmits(this.database, results, this.config.IN_DOUBT_WAIT_SECONDS);
        this.metrics.writes.observe({ kind: 'result' }, results.length);
        for (const { state } of moves) this.metrics.moves.inc({ state });
        return results.map(() => undefined);
      } catch (error) {
        if (failureKind(error) === 'poison' || performance.now() > deadlineMs) throw error;
        await delay(RETRY_AFTER_MS);
      }
    }
  }

  private async written<Result>(kind: string, items: readonly unknown[], write: Promise<Result>): Promise<Result> {
    this.metrics.writes.observe({ kind }, items.length);
    return write;
  }
}
