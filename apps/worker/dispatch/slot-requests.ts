import { setTimeout as delay } from 'node:timers/promises';
import type { JobPriority } from '#queue';
import type { CarrierSlots } from '../carriers/carrier-pool.js';

/** Where slots come from: one carrier's connection. */
export interface SlotSource {
  /** Free slots at once; undefined when there are none. */
  take(max: number): CarrierSlots | undefined;
  /** Resolves when there may be some, or after the time. */
  changed(timeoutMs: number): Promise<void>;
}

/** While both kinds wait, so many slots go to interactive requests for each one that goes to bulk requests. */
const INTERACTIVE_PER_BULK = 3;
const LOOK_EVERY_MS = 1_000;
/** How long to wait if the carrier said that slots are free and gave none. */
const FRUITLESS_MS = 5;

interface SlotRequest {
  readonly turn: number;
  readonly max: number;
  readonly priority: JobPriority;
  readonly answer: (slots: CarrierSlots | undefined) => void;
}

/**
 * The requests of this worker's jobs for window slots of one carrier. Interactive requests are served before bulk ones,
 * but while both kinds wait, bulk requests get a quarter of the slots. Interactive requests are served in the order in
 * which they come, so a job of many messages does not delay one of a single message. Bulk requests are served in the
 * order of their jobs, so that one job after the other ends and gives its place on the queue to the next one.
 */
export class SlotRequests {
  private waiting: readonly SlotRequest[] = [];
  /** Slots that interactive requests got beyond their share while bulk requests waited; negative: the other way. */
  private ahead = 0;
  private isWatching = false;
  private isOver = false;
  private lastTurn = 0;

  constructor(private readonly source: SlotSource) {}

  /** No request gets a slot any more. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /** The place of a job among the others, for all its requests. */
  nextTurn(): number {
    this.lastTurn += 1;
    return this.lastTurn;
  }

  /** Slots for up to `max` orders; undefined when there were none within the time, or the consumer ends. */
  take(turn: number, max: number, priority: JobPriority, waitMaxMs: number): Promise<CarrierSlots | undefined> {
    if (this.isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answer(request, undefined), waitMaxMs);
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
      if (this.waiting.length > 0) void this.watch();
    });
  }

  /** Answers every request with nothing, and serves none any more. */
  close(): void {
    this.isOver = true;
    for (const request of this.waiting) this.answer(request, undefined);
  }

  /** Gives out what is free; returns whether there was something. */
  private serve(): boolean {
    let isServed = false;
    for (let request = this.next(); request !== undefined; request = this.next()) {
      const taken = this.source.take(request.max);
      if (taken === undefined) break;
      this.count(request.priority, taken.slots.length);
      this.answer(request, taken);
      isServed = true;
    }
    return isServed;
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

  private answer(request: SlotRequest, slots: CarrierSlots | undefined): void {
    this.waiting = this.waiting.filter((each) => each !== request);
    request.answer(slots);
  }

  private async watch(): Promise<void> {
    if (this.isWatching) return;
    this.isWatching = true;
    try {
      while (this.waiting.length > 0) {
        const askedMs = performance.now();
        await this.source.changed(LOOK_EVERY_MS);
        const isFruitless = !this.serve() && performance.now() - askedMs < FRUITLESS_MS;
        if (isFruitless) await delay(FRUITLESS_MS);
      }
    } finally {
      this.isWatching = false;
    }
  }
}
