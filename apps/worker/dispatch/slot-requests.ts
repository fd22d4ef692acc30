import type { SubmitSlot } from '#carrier';
import type { JobPriority } from '#queue';
import type { CarrierSlots } from '../carriers/carrier-pool.js';

/** Where slots come from: one carrier's connection. */
export interface SlotSource {
  /** Free slots at once; undefined when there are none. */
  take(max: number): CarrierSlots | undefined;
  /** Resolves when there may be some, or after the time. */
  changed(timeoutMs: number): Promise<void>;
}

/** While both kinds wait, so many slots go to interactive requests before one goes to a bulk one. */
const INTERACTIVE_PER_BULK = 3;
const LOOK_EVERY_MS = 1_000;
/** Before the next look after slots were said to be free and were not. */
const FRUITLESS_MS = 5;

interface SlotRequest {
  readonly max: number;
  readonly granted: SubmitSlot[];
  readonly settle: (slots: CarrierSlots | undefined) => void;
}

/**
 * The requests of this worker's jobs for window slots of one carrier. Interactive requests are served before bulk ones, but never
 * all of them; within a kind, in order of arrival.
 */
export class SlotRequests {
  private readonly waiting: Record<JobPriority, SlotRequest[]> = { interactive: [], bulk: [] };
  private sinceBulk = 0;
  private isWatching = false;
  private isOver = false;

  constructor(private readonly source: SlotSource) {}

  /** No request gets anything any more. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /** Slots for up to so many orders; undefined when there were none within the time, or the line is closed. */
  take(max: number, priority: JobPriority, waitMaxMs: number): Promise<CarrierSlots | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const request: SlotRequest = {
        max,
        granted: [],
        settle: (slots) => {
          clearTimeout(timer);
          resolve(slots);
        },
      };
      const timer = setTimeout(() => {
        this.waiting[priority] = this.waiting[priority].filter((each) => each !== request);
        resolve(undefined);
      }, waitMaxMs);
      this.waiting[priority].push(request);
      this.serve();
      if (this.wanted > 0) void this.watch();
    });
  }

  /** Answers every request with nothing, and serves none any more. */
  close(): void {
    this.isOver = true;
    for (const request of [...this.waiting.interactive.splice(0), ...this.waiting.bulk.splice(0)]) {
      request.settle(undefined);
    }
  }

  private get wanted(): number {
    const { interactive, bulk } = this.waiting;
    return [...interactive, ...bulk].reduce((sum, { max }) => sum + max, 0);
  }

  /** Whether a request got something. */
  private serve(): boolean {
    const wanted = this.wanted;
    const taken = wanted > 0 ? this.source.take(wanted) : undefined;
    if (taken === undefined) return false;
    const served = new Set<SlotRequest>();
    for (const slot of taken.slots) {
      const request = this.next();
      request?.granted.push(slot);
      if (request === undefined) slot.release();
      else served.add(request);
    }
    for (const request of served) {
      this.waiting.interactive = this.waiting.interactive.filter((each) => each !== request);
      this.waiting.bulk = this.waiting.bulk.filter((each) => each !== request);
      request.settle({ ...taken, slots: request.granted });
    }
    return true;
  }

  /** The request that the next slot is for. */
  private next(): SlotRequest | undefined {
    const isOpen = ({ granted, max }: SlotRequest) => granted.length < max;
    const interactive = this.waiting.interactive.find(isOpen);
    const bulk = this.waiting.bulk.find(isOpen);
    if (interactive !== undefined && (bulk === undefined || this.sinceBulk < INTERACTIVE_PER_BULK)) {
      this.sinceBulk += 1;
      return interactive;
    }
    this.sinceBulk = 0;
    return bulk;
  }

  private async watch(): Promise<void> {
    if (this.isWatching) return;
    this.isWatching = true;
    try {
      while (!this.isClosed && this.wanted > 0) {
        const askedMs = performance.now();
        await this.source.changed(LOOK_EVERY_MS);
        const isFruitless = !this.serve() && performance.now() - askedMs < FRUITLESS_MS;
        if (isFruitless) await new Promise((resolve) => setTimeout(resolve, FRUITLESS_MS));
      }
    } finally {
      this.isWatching = false;
    }
  }
}
