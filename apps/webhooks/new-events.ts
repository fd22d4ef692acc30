import { type Database, type EventLook, lookForEvents } from '#persistence';

/**
 * So often every webhook reads, whatever looks have found: a clock that is set back hides events from them. A look
 * costs more the longer a transaction has held events back, so after this time all of them read instead.
 */
const READ_ALL_EVERY_MS = 10_000;
/** Of the ids of batches, by their times (`next_event_batch_id`). */
const READ_ALL_IDS = BigInt(READ_ALL_EVERY_MS) << 20n;

/** A look at the whole database. */
export interface FoundEvents extends Pick<EventLook, 'next' | 'server'> {
  /** Undefined: any account may have new events. */
  readonly accountIds: ReadonlySet<string> | undefined;
}

/** Finds the accounts that have new events. Each event is found once, when it can be read. */
export class NewEvents {
  private last: EventLook | undefined;
  /**
   * From the newest look at which none of the transactions had begun whose events the last look could not read: such an
   * event is written after that look, so its id is not lower. A transaction that goes on keeps that look.
   */
  private looks: EventLook[] = [];
  private readAllMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs of a clock that nobody sets */
  constructor(
    private readonly database: Database,
    private readonly nowMs = () => performance.now(),
  ) {}

  async look(): Promise<FoundEvents> {
    const { last } = this;
    const from = last && this.lowestId(last);
    const look = await lookForEvents(this.database, last?.oldest ?? 0n, from);
    const isSameServer = last !== undefined && look.server === last.server;
    const isLater = isSameServer && look.next >= last.next && look.batchId >= last.batchId;
    const looks = isLater ? [...this.looks, look] : [look];
    const first = looks.findLastIndex(({ next }) => next <= look.oldest);
    this.looks = looks.slice(Math.max(0, first));
    this.last = look;
    const isFound = isLater && (from !== undefined || look.oldest === last.oldest);
    if (isFound && this.nowMs() < this.readAllMs) return { ...look, accountIds: new Set(look.accountIds) };
    this.readAllMs = this.nowMs() + READ_ALL_EVERY_MS;
    return { ...look, accountIds: undefined };
  }

  /** Undefined: not known, or so long ago that too many events have higher ids. */
  private lowestId(last: EventLook): bigint | undefined {
    const [first] = this.looks;
    if (first === undefined || first.next > last.oldest) return undefined;
    return last.batchId - first.batchId > READ_ALL_IDS ? undefined : first.batchId;
  }
}
