import { setTimeout as delay } from 'node:timers/promises';
import { Coalescer } from '#batching';
import { oneLine } from '#config/light';
import { withinMs } from '#timing';
import { OperatorError } from '../operators/operator-error.js';
import type { Queryable } from './database.js';
import { checkOrigin, durablePosition, type Replica, replayedPosition, type WalPosition } from './replica.js';

/** How long a read waits for the replica to show what was durable when it was asked for; then the primary answers. */
const CATCH_UP_MAX_MS = 50;
const LOOK_AGAIN_MS = 3;
/**
 * How long the replica may take for a read; a server that hangs keeps those who were on it waiting once, for this long.
 */
const READ_MAX_MS = 500;
/** How often a replica that is behind or away is looked at again: at first, and at the most after many failures. */
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;
const POSITIONS_MAX = 10_000;
/**
 * Recovery cancelled a query (hot standby conflict): this read is made elsewhere, and nothing is wrong with the
 * replica.
 */
const CONFLICT = '40001';

interface Asked {
  readonly durable: WalPosition;
  /** What the replica was known to show before the primary was asked. */
  readonly replayedBefore: WalPosition;
}

/** What became of a read. */
type ReadFrom = 'replica' | 'primary';

/**
 * Reads from a streaming replica that are never older than their question: the primary is asked how far it is durable
 * (one short query for all reads that come together), and the replica answers once it shows that. So a client sees its
 * own sends, whichever gateway took them, and deposits too. A replica that is behind, away or not what it should be
 * costs nothing: the primary answers until it is found to be well again.
 */
export class FreshReads {
  private readonly positions: Coalescer<undefined, Asked>;
  private replayed: WalPosition = 0n;
  private looking: Promise<WalPosition> | undefined;
  private isUsable = false;
  private retryMs = RETRY_FIRST_MS;
  private retryTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /**
   * @param replica undefined: everything is read from the primary
   * @param onChange is told when the replica is used, and why it is not
   */
  constructor(
    private readonly primary: Queryable,
    private readonly replica: Replica | undefined,
    private readonly onChange: (problem: string | undefined) => void,
    private readonly onRead: (from: ReadFrom, reads: number) => void,
  ) {
    this.positions = new Coalescer<undefined, Asked>(
      async (questions) => {
        const replayedBefore = this.replayed;
        const durable = await durablePosition(this.primary);
        return questions.map(() => ({ durable, replayedBefore }));
      },
      { itemsMax: POSITIONS_MAX },
    );
    if (replica !== undefined) this.lookLater(0);
  }

  /** @param reads how many reads share this one */
  async read<Result>(work: (database: Queryable) => Promise<Result>, reads = 1): Promise<Result> {
    const { replica } = this;
    if (replica !== undefined && this.isUsable && (await this.shows(replica))) {
      try {
        const result = await withinMs(work(replica), READ_MAX_MS);
        this.onRead('replica', reads);
        return result;
      } catch (error) {
        // The replica has answered, and what was asked for is not there.
        if (error instanceof OperatorError) throw error;
        if ((error as { code?: unknown }).code !== CONFLICT) this.leave(`it fails: ${oneLine(error)}`);
      }
    }
    this.onRead('primary', reads);
    return work(this.primary);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.isUsable = false;
    clearTimeout(this.retryTimer);
    await this.replica?.close();
  }

  /** Whether the replica shows, within its bound, what is durable now. */
  private async shows(replica: Replica): Promise<boolean> {
    const { durable, replayedBefore } = await this.positions.add(undefined);
    if (replayedBefore > durable) {
      this.leave('it is ahead of the primary: the primary is another one, and this is no replica of it');
      return false;
    }
    const deadlineMs = performance.now() + CATCH_UP_MAX_MS;
    try {
      while (this.replayed < durable) {
        if ((await withinMs(this.look(replica), READ_MAX_MS)) >= durable) break;
        if (performance.now() >= deadlineMs) {
          this.leave(`it is behind by more than ${CATCH_UP_MAX_MS} ms`);
          return false;
        }
        await delay(LOOK_AGAIN_MS);
      }
      return this.isUsable;
    } catch (error) {
      this.leave(`it fails: ${oneLine(error)}`);
      return false;
    }
  }

  /** Asks the replica, once for everybody who wants to know at this moment. */
  private look(replica: Replica): Promise<WalPosition> {
    this.looking ??= replayedPosition(replica)
      .then((position) => {
        this.replayed = position;
        return position;
      })
      .finally(() => {
        this.looking = undefined;
      });
    return this.looking;
  }

  private leave(problem: string): void {
    if (!this.isUsable) return;
    this.isUsable = false;
    this.retryMs = RETRY_FIRST_MS;
    this.onChange(problem);
    this.lookLater(this.retryMs);
  }

  private lookLater(waitMs: number): void {
    if (this.isClosed || this.replica === undefined) return;
    const { replica } = this;
    this.retryTimer = setTimeout(() => {
      void this.tryAgain(replica).catch((error: unknown) => {
        // Said once, when it was never well; and at every leave.
        if (waitMs === 0) this.onChange(oneLine(error));
        this.lookLater(this.retryMs);
        this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
      });
    }, waitMs);
    this.retryTimer.unref();
  }

  /** @throws why the replica cannot be used yet */
  private async tryAgain(replica: Replica): Promise<void> {
    await checkOrigin(this.primary, replica);
    const before = await this.look(replica);
    const durable = await durablePosition(this.primary);
    if (before > durable) throw new Error('it is ahead of the primary: it is a replica of another one');
    const deadlineMs = performance.now() + CATCH_UP_MAX_MS;
    while ((await this.look(replica)) < durable) {
      if (performance.now() >= deadlineMs) {
        // It lives; how soon it is in step cannot be known.
        this.retryMs = RETRY_FIRST_MS;
        throw new Error(`it is behind by more than ${CATCH_UP_MAX_MS} ms`);
      }
      await delay(LOOK_AGAIN_MS);
    }
    if (this.isClosed) return;
    this.isUsable = true;
    this.retryMs = RETRY_FIRST_MS;
    this.onChange(undefined);
  }
}
