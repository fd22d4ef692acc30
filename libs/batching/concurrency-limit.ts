import { Overloaded } from './overloaded.js';

interface ConcurrencyBounds {
  /** Work that may run at once. */
  readonly atOnceMax: number;
  /** Work that may wait; what comes then is refused at once. */
  readonly waitingMax: number;
  /** How long work may wait; after that it is refused. Default: without a bound. */
  readonly waitMaxMs?: number;
  /** What a refusal advises. */
  readonly retryAfterSeconds: number;
}

/** Bounds how much expensive work runs at once. Further work waits, and begins in the order of its arrival. */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly bounds: ConcurrencyBounds) {}

  /** @throws Overloaded when as much runs and waits as may, or the turn of this work has not come in time */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.bounds.atOnceMax) await this.turn();
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The work that has ended gives its place to the next.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  private turn(): Promise<void> {
    const { waitingMax, waitMaxMs, retryAfterSeconds } = this.bounds;
    if (this.waiting.length >= waitingMax) return Promise.reject(new Overloaded(retryAfterSeconds));
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(new Overloaded(retryAfterSeconds));
      };
      const timer = waitMaxMs === undefined ? undefined : setTimeout(giveUp, waitMaxMs);
      this.waiting.push(begin);
    });
  }
}
