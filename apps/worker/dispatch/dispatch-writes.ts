import { Inject, Injectable } from '@nestjs/common';
import { Coalescer } from '#batching';
import type { CarrierReceipt, SubmitSlot, WireFormat } from '#carrier';
import type { Config } from '#config';
import {
  type ClaimedOrder,
  Database,
  type DispatchOwner,
  type DispatchWrite,
  GATHERED_WRITES,
  type Intent,
  isLockTimeout,
  isPoison,
  type OrderMove,
  type SubmitResult,
  type WantedClaim,
  writeDispatch,
} from '#persistence';
import { tryAgain, waitAtMost } from '#timing';
import { CONFIG, WORKER_ID } from '../injected.js';
import { WorkerMetrics } from '../operations/worker-metrics.js';
import { AnswersApart } from './answers-apart.js';
import { OwnedOrders } from './owned-orders.js';

/** How long a receipt waits for its answer: a carrier wants to hear within some seconds that its receipt is stored. */
const RECEIPT_WAIT_MAX_MS = 5_000;
/** The most answers in memory whose receipts have not come. */
const ACCEPTANCES_MAX = 100_000;
/** Of claims and intents for rows of other transactions; then their jobs fail. */
const ROW_WAIT = { giveUpAfterMs: 30_000, waitMs: 200 };
/** Many times what a large write takes on a busy machine. */
const TURN_MAX_MS = 500;

/** One of them is set. */
interface DispatchItem {
  readonly claim?: WantedClaim;
  readonly intent?: Intent;
  readonly result?: SubmitResult;
  /** If it could not be written together with the others: what came of it by itself. */
  later?: Promise<Written> | undefined;
}
type Written = ClaimedOrder | boolean | undefined;

/**
 * What dispatch writes to the database about the orders that this worker owns: claims, intents and answers, all that
 * gather while one write is in flight in the next one. So a busy worker makes a few commits for each window instead of
 * several for each message. A window slot is free when its answer has come: what takes it is written with the answer or
 * later, so a crash doubles no more than the window (ADR 67).
 */
@Injectable()
export class DispatchWrites {
  private readonly writes = new Coalescer(
    (items: readonly DispatchItem[]) => this.writeTogether(items),
    GATHERED_WRITES,
  );
  /** By the id that the carrier gave the message, until its receipt comes; the oldest is forgotten first. */
  private readonly acceptances = new Map<string | undefined, { atMs: number; recorded: Promise<unknown> }>();
  private readonly apart: AnswersApart;
  /** Over when the next write may begin. Few wait for it, because each coalescer has one write in flight. */
  private lastTurn: Promise<void> = Promise.resolve();
  private readonly owner: DispatchOwner;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) { CLAIM_LEASE_SECONDS, IN_DOUBT_WAIT_SECONDS }: Config,
    @Inject(WORKER_ID) workerId: string,
    private readonly metrics: WorkerMetrics,
    private readonly owned: OwnedOrders,
  ) {
    this.owner = { workerId, leaseSeconds: CLAIM_LEASE_SECONDS, inDoubtWaitSeconds: IN_DOUBT_WAIT_SECONDS };
    this.apart = new AnswersApart(
      database,
      this.owner,
      (write) => this.inTurn(write),
      (...recorded) => this.count(...recorded),
    );
  }

  /**
   * Takes an order for a carrier. Undefined: it belongs to another worker or to another carrier, or is done.
   *
   * @param format of the connection that is going to write it
   */
  async claim(id: string, carrierId: number, format: WireFormat): Promise<ClaimedOrder | undefined> {
    const claim = { id, carrierId, format: format.text, whole: format.unit === 'message' };
    const order = await this.writeAtOnce({ claim });
    return typeof order === 'object' ? order : undefined;
  }

  /** Records a further segment as submitting. False: the order is no longer ours, and it must not be submitted. */
  async intend(intent: Intent): Promise<boolean> {
    return (await this.writeAtOnce({ intent })) === true;
  }

  /** @param slot of the submit, which is free from now on */
  async record(result: SubmitResult, slot?: SubmitSlot): Promise<void> {
    const item: DispatchItem = { result };
    const recorded = this.writes.add(item);
    // Not before: what takes the slot must come after the answer.
    slot?.release();
    if (result.kind === 'accepted') {
      this.acceptances.set(result.answer, { atMs: performance.now(), recorded });
      if (this.acceptances.size > ACCEPTANCES_MAX) this.acceptances.delete(this.acceptances.keys().next().value);
    }
    await recorded;
    await item.later;
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
    await this.writes.drain();
    await this.apart.drain();
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

  private async writeAtOnce(item: DispatchItem): Promise<Written> {
    const written = this.writes.add(item);
    this.writes.hurry();
    return (await written) ?? item.later;
  }

  private async writeTogether(items: readonly DispatchItem[]): Promise<Written[]> {
    const write = {
      claims: items.flatMap(({ claim }) => claim ?? []),
      intents: items.flatMap(({ intent }) => intent ?? []),
      results: items.flatMap(({ result }) => result ?? []),
    };
    const claims = new Set(write.claims.map(({ id }) => id));
    // No answer is overtaken by a claim of its message, or by a later answer to it.
    if (!write.results.some(({ id }) => claims.has(id) || this.apart.has(id))) {
      try {
        return items.map(await this.write(write));
      } catch (error) {
        if (isPoison(error)) throw error;
      }
    }
    // First the answers, which must not be lost, then the others, which wait while another transaction has their rows.
    const recorded = await this.apart.record(write.results);
    let others: ReturnType<typeof this.write> | undefined;
    for (const item of items) {
      if (item.result === undefined) {
        others ??= tryAgain(() => this.write({ ...write, results: [] }), isLockTimeout, ROW_WAIT);
        item.later = others.then((writtenOf) => writtenOf(item));
      } else {
        item.later = recorded.shift();
      }
    }
    return items.map(() => undefined);
  }

  /** Gives what came of each item. */
  private async write(write: DispatchWrite): Promise<(item: DispatchItem) => Written> {
    // An id that is wanted twice, maybe for two carriers, belongs to the first claim.
    const wanted = new Map(write.claims.toReversed().map((claim) => [claim.id, claim]));
    const all = { ...write, claims: [...wanted.values()] };
    const { claimed, intended, moves } = await this.inTurn(() => writeDispatch(this.database, all, this.owner));
    if (write.claims.length > 0) this.metrics.writes.observe({ kind: 'claim' }, write.claims.length);
    if (write.intents.length > 0) this.metrics.writes.observe({ kind: 'intent' }, write.intents.length);
    this.metrics.ordersNotClaimed.inc(write.claims.length - claimed.length);
    this.count(write.results.length, moves);
    const orders = new Map(claimed.map((order) => [wanted.get(order.id), order]));
    const segments = new Set(intended.map(({ id, position }) => `${id}/${position}`));
    return ({ claim, intent }) => (intent ? segments.has(`${intent.id}/${intent.position}`) : orders.get(claim));
  }

  private count(results: number, moves: readonly OrderMove[]): void {
    if (results > 0) this.metrics.writes.observe({ kind: 'result' }, results);
    // One that is still sending, because a segment is in doubt, has not moved.
    const counted = moves.filter(({ id, state }) => state !== 'sending' && !this.owned.isTest(id));
    for (const { state } of counted) this.metrics.moves.inc({ state });
  }
}
