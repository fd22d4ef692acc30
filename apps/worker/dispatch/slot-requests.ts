import type { JobPriority } from '#queue';
import type { CarrierSlot } from '../carriers/pooled-carrier.js';

/** While both kinds wait, so many slots go to interactive requests for each one that goes to bulk requests. */
const INTERACTIVE_PER_BULK = 3;

interface SlotRequest {
  readonly turn: number;
  readonly max: number;
  readonly priority: JobPriority;
  readonly answer: (slots: readonly CarrierSlot[]) => void;
}

/**
 * The requests of this worker's jobs for window slots of one carrier. Interactive requests are served before bulk ones,
 * but while both kinds wait, bulk requests get a quarter of the slots. Interactive requests are served in the order in
 * which they come, so a job of many messages does not delay one of a single message. Bulk requests are served in the
 * order of their jobs, so that one job after the other ends and gives its place on the queue to the next one.
 */
export class SlotRequests {
  /** No request gets a slot any more. */
  isClosed = false;
  private waiting: readonly SlotRequest[] = [];
  /** Slots that interactive requests got beyond their share while bulk requests waited; negative: the other way. */
  private ahead = 0;
  private isServingSoon = false;
  private lastTurn = 0;

  /** @param source free slots of the carrier, at once */
  constructor(private readonly source: (max: number) => readonly CarrierSlot[]) {}

  /** The place of a job among the others, for all its requests. */
  nextTurn(): number {
    this.lastTurn += 1;
    return this.lastTurn;
  }

  /** Slots for up to `max` orders; none when none were free within the time, or the consumer ends. */
  take(turn: number, max: number, priority: JobPriority, waitMaxMs: number): Promise<readonly CarrierSlot[]> {
    if (this.isClosed) return Promise.resolve([]);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answer(request, []), waitMaxMs);
      const request: SlotRequest = {
        turn,
        max,
        priority,
        answer: (slots) => {
          clearTimeout(timer);
          resolve(slots);
        },
      };
      this.waiting = [...this.waiting, request];
      this.serve();
    });
  }

  /** Serves the requests that wait, once whatever else becomes free in this moment is free as well. */
  mayBeFree(): void {
    if (this.isServingSoon) return;
    this.isServingSoon = true;
    queueMicrotask(() => {
      this.isServingSoon = false;
      this.serve();
    });
  }

  /** Answers every request with nothing, and serves none any more. */
  close(): void {
    this.isClosed = true;
    for (const request of this.waiting) this.answer(request, []);
  }

  private serve(): void {
    for (let request = this.next(); request !== undefined; request = this.next()) {
      const taken = this.source(request.max);
      if (taken.length === 0) return;
      this.count(request.priority, taken.length);
      this.answer(request, taken);
    }
  }

  /** The request that is served next. */
  private next(): SlotRequest | undefined {
    const interactive = this.waiting.find(({ priority }) => priority === 'interactive');
    const [bulk] = this.waiting
      .filter(({ priority }) => priority === 'bulk')
      .sort((one, other) => one.turn - other.turn);
    return this.ahead >= INTERACTIVE_PER_BULK ? (bulk ?? interactive) : (interactive ?? bulk);
  }

  /** Only while both kinds wait does a kind use up a share. */
  private count(priority: JobPriority, slots: number): void {
    const isContended = this.waiting.some((request) => request.priority !== priority);
    if (!isContended) this.ahead = 0;
    else this.ahead += priority === 'interactive' ? slots : -slots * INTERACTIVE_PER_BULK;
  }

  private answer(request: SlotRequest, slots: readonly CarrierSlot[]): void {
    this.waiting = this.waiting.filter((each) => each !== request);
    request.answer(slots);
  }
}
