import { Inject, Injectable } from '@nestjs/common';
import { Coalescer } from '#batching';
import type { CarrierReceipt, SubmitSlot, WireFormat } from '#carrier';
import type { Config } from '#config';
import {
  type ClaimedOrder,
  claimOrders,
  Database,
  GATHERED_WRITES,
  isLockTimeout,
  isPoison,
  recordFreeSubmits,
  recordSubmits,
  type SubmitResult,
} from '#persistence';
import { tryAgain, waitAtMost } from '#timing';
import { CONFIG, WORKER_ID } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { HeldAnswers } from './held-answers.js';
import { OwnedOrders } from './owned-orders.js';

const ITEMS_MAX = 500;
const RETRY_AFTER_MS = 200;
/**
 * How long an answer is kept that the database does not take: longer than a restart or a failover lasts. After the
 * lease the order is in doubt, and the answer counts until it is claimed anew (ADR 11). While the database is away
 * nothing is claimed, so the windows bound how many answers wait.
 */
const KEPT_MAX_MS = 300_000;
/** How long a receipt waits for its answer: a carrier wants to hear within some seconds that its receipt is stored. */
const RECEIPT_WAIT_MAX_MS = 5_000;
/** The most answers in memory whose receipts have not come. */
const ACCEPTANCES_MAX = 100_000;
/** Many times what a large write takes on a busy machine. */
const TURN_MAX_MS = 500;

/** An order to claim for a carrier, and the format of the connection that is going to write it. */
interface WantedClaim {
  readonly id: string;
  readonly carrierId: number;
  readonly format: WireFormat;
}

/**
 * What dispatch writes to the database about the orders that this worker owns: claims and answers. While one write is
 * in flight the next one gathers, so a busy worker makes a few commits for each window instead of several for each
 * message.
 */
@Injectable()
export class DispatchWrites {
  private readonly claims = new Coalescer((wanted: readonly WantedClaim[]) => this.claimTogether(wanted), {
    keysApart: true,
    itemsMax: ITEMS_MAX,
  });
  private readonly results = new Coalescer(
    (results: readonly SubmitResult[]) => this.recordUntilDone(results),
    GATHERED_WRITES,
  );
  /** By the id that the carrier gave the message, until its receipt comes; the oldest is forgotten first. */
  private readonly acceptances = new Map<string | undefined, { atMs: number; recorded: Promise<unknown> }>();
  private readonly held = new HeldAnswers((results, awaited) => this.recordOrPassOver(results, awaited), {
    batchMax: ITEMS_MAX,
    giveUpAfterMs: KEPT_MAX_MS,
  });
  /** Over when the next write may begin. Few wait for it, because each coalescer has one write in flight. */
  private lastTurn: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(WORKER_ID) private readonly workerId: string,
    private readonly metrics: WorkerMetrics,
    private readonly owned: OwnedOrders,
  ) {}

  /**
   * Takes an order for a carrier. Undefined: it belongs to another worker or to another carrier, or is done.
   *
   * @param format of the connection that is going to write it
   */
  claim(id: string, carrierId: number, format: WireFormat): Promise<ClaimedOrder | undefined> {
    return this.claims.add({ id, carrierId, format }, `${carrierId}/${format.text}`);
  }

  /** @param slot of the submit: free when its answer is written or held, so a crash doubles no more than the window */
  async record(result: SubmitResult, slot?: SubmitSlot): Promise<undefined> {
    const recorded = this.results.add(result);
    if (slot?.isWanted()) this.results.hurry();
    if (result.kind === 'accepted') {
      this.acceptances.set(result.answer, { atMs: performance.now(), recorded });
      if (this.acceptances.size > ACCEPTANCES_MAX) this.acceptances.delete(this.acceptances.keys().next().value);
    }
    return (await recorded.finally(() => slot?.release())).later;
  }

  /**
   * Writes receipts when the answers that gave their messages ids are written, held or refused, or take too long. A
   * receipt that is written before its answer is stored as unmatched and applied later: correct, but twice the work.
   */
  async writeReceipts<Result>(receipts: readonly CarrierReceipt[], write: () => Promise<Result>): Promise<Result> {
    const answers = receipts.map(({ carrierMessageId }) => this.acceptances.get(carrierMessageId)?.recorded);
    await waitAtMost(RECEIPT_WAIT_MAX_MS, Promise.allSettled(answers));
    const result = await this.inTurn(write);
    this.metrics.writes.observe({ kind: 'receipt' }, receipts.length);
    return result;
  }

  /** Resolves when no answer waits to be written. */
  async drain(): Promise<void> {
    await this.results.drain();
    await this.held.drain();
  }

  /**
   * Measures the wait from the answer that gave a message this id to its first receipt.
   *
   * @param agoMs how long ago the receipt came
   */
  receiptStored(carrier: string, carrierMessageId: string | undefined, agoMs: number): void {
    const acceptance = this.acceptances.get(carrierMessageId);
    if (acceptance === undefined) return;
    this.acceptances.delete(carrierMessageId);
    const waitMs = Math.max(0, performance.now() - agoMs - acceptance.atMs);
    this.metrics.receiptWaitSeconds.observe({ carrier }, waitMs / 1_000);
  }

  /**
   * Claims, answers and receipts of a worker take turns at the database, in the order in which they come, so that
   * accepting has a core left on a small machine (ADR 10). A write that is held up, by a row of another transaction or
   * by a dead connection, goes on beside the next ones.
   */
  private inTurn<Result>(write: () => Promise<Result>): Promise<Result> {
    const written = this.lastTurn.then(write);
    this.lastTurn = this.lastTurn.then(() => waitAtMost(TURN_MAX_MS, written)).catch(() => undefined);
    return written;
  }

  /** @param wanted of one carrier and in one format */
  private async claimTogether(wanted: readonly WantedClaim[]): Promise<(ClaimedOrder | undefined)[]> {
    const [first] = wanted;
    if (first === undefined) return [];
    const ids = wanted.map(({ id }) => id);
    const claim = {
      workerId: this.workerId,
      carrierId: first.carrierId,
      leaseSeconds: this.config.CLAIM_LEASE_SECONDS,
      whole: first.format.unit === 'message',
      format: first.format.text,
    };
    const claimed = await this.inTurn(() => claimOrders(this.database, ids, claim));
    this.metrics.writes.observe({ kind: 'claim' }, ids.length);
    this.metrics.ordersNotClaimed.inc(ids.length - claimed.length);
    const byId = new Map(claimed.map((order) => [order.id, order]));
    return ids.map((id) => {
      const order = byId.get(id);
      // An id that is wanted twice belongs to the first claim.
      byId.delete(id);
      return order;
    });
  }

  /**
   * An answer of the carrier must not be lost, so this tries until the database takes it. Writing an answer twice
   * changes nothing. One that is held is written `later`.
   */
  private async recordUntilDone(results: readonly SubmitResult[]): Promise<{ later?: Promise<undefined> }[]> {
    const behind = new Set(results.filter(({ id }) => this.held.has(id)));
    const passedOver = await this.recordOrPassOver(results.filter((result) => !behind.has(result)));
    return results.map((result) =>
      behind.has(result) || passedOver.has(result.id) ? { later: this.held.add(result) } : {},
    );
  }

  /**
   * Records answers, but passes over the orders that another transaction holds, or whose balance it holds: so it delays
   * no others.
   *
   * @param awaited an order whose balance it waits for all the same
   * @returns the orders that were passed over
   */
  private async recordOrPassOver(results: readonly SubmitResult[], awaited?: string): Promise<ReadonlySet<string>> {
    if (results.length === 0) return new Set();
    const waitSeconds = this.config.IN_DOUBT_WAIT_SECONDS;
    const { moves, held } = await tryAgain(
      async () => {
        try {
          // It may wait for a second, so it takes no turn.
          if (awaited !== undefined) return await recordFreeSubmits(this.database, results, waitSeconds, awaited);
          const moves = await this.inTurn(() => recordSubmits(this.database, results, waitSeconds));
          return { moves, held: new Set<string>() };
        } catch (error) {
          if (!isLockTimeout(error)) throw error;
          return this.inTurn(() => recordFreeSubmits(this.database, results, waitSeconds));
        }
      },
      (error) => !isPoison(error),
      { giveUpAfterMs: KEPT_MAX_MS, waitMs: RETRY_AFTER_MS },
    );
    this.metrics.writes.observe({ kind: 'result' }, results.length - held.size);
    // One that is still sending, because a segment is in doubt, has not moved.
    const counted = moves.filter(({ id, state }) => state !== 'sending' && !this.owned.isTest(id));
    for (const { state } of counted) this.metrics.moves.inc({ state });
    return held;
  }
}
