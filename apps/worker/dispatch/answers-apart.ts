import {
  type Database,
  type DispatchOwner,
  isPoison,
  type OrderMove,
  recordFreeSubmits,
  type SubmitResult,
} from '#persistence';
import { tryAgain } from '#timing';
import { HeldAnswers } from './held-answers.js';

const ANSWERS_MAX = 500;
const RETRY_AFTER_MS = 200;
/**
 * How long an answer is kept that the database does not take: longer than a restart or a failover lasts. After the
 * lease the order is in doubt, and the answer counts until it is claimed anew (ADR 11). While the database is away
 * nothing is claimed, so the windows bound how many answers wait.
 */
const KEPT_MAX_MS = 300_000;

/**
 * Records answers that could not be written together with claims. An answer of the carrier must not be lost, so this
 * tries until the database takes it. It passes over the orders that another transaction holds, or whose balance it
 * holds: those answers are written later, so they delay no others.
 */
export class AnswersApart {
  private readonly held = new HeldAnswers(
    // It may wait for a balance, so it takes no turn.
    (results, awaited) => this.recordOrPassOver(results, (record) => record(), awaited),
    { batchMax: ANSWERS_MAX, giveUpAfterMs: KEPT_MAX_MS },
  );

  /**
   * @param inTurn runs a write when this worker may write
   * @param onRecorded called with what each write did
   */
  constructor(
    private readonly database: Database,
    private readonly owner: DispatchOwner,
    private readonly inTurn: <Result>(write: () => Promise<Result>) => Promise<Result>,
    private readonly onRecorded: (count: number, moves: readonly OrderMove[]) => void,
  ) {}

  /** Whether an answer of the order is held. No later answer of the order may be written before it. */
  has(orderId: string): boolean {
    return this.held.has(orderId);
  }

  /**
   * Resolves when every answer is written or held. Writing an answer twice changes nothing.
   *
   * @returns of each answer, undefined or, if it is held, what resolves when it is written
   */
  async record(results: readonly SubmitResult[]): Promise<(Promise<undefined> | undefined)[]> {
    const behind = new Set(results.filter(({ id }) => this.held.has(id)));
    const free = results.filter((result) => !behind.has(result));
    const passedOver = await this.recordOrPassOver(free, this.inTurn);
    return results.map((result) =>
      behind.has(result) || passedOver.has(result.id) ? this.held.add(result) : undefined,
    );
  }

  /** Resolves when no answer is held. */
  drain(): Promise<void> {
    return this.held.drain();
  }

  /**
   * @param run runs each write
   * @param awaited an order whose balance it waits for all the same
   * @returns the orders that were passed over
   */
  private async recordOrPassOver(
    results: readonly SubmitResult[],
    run: typeof this.inTurn,
    awaited?: string,
  ): Promise<ReadonlySet<string>> {
    if (results.length === 0) return new Set();
    const { moves, held } = await tryAgain(
      () => run(() => recordFreeSubmits(this.database, results, this.owner, awaited)),
      (error) => !isPoison(error),
      { giveUpAfterMs: KEPT_MAX_MS, waitMs: RETRY_AFTER_MS },
    );
    this.onRecorded(results.length - held.size, moves);
    return held;
  }
}
