import type { OutboundSegment, SubmitOutcome } from '../carrier.js';
import type { Submitter } from './submit-slots.js';

/** The requests of a carrier without lasting connections, which all have one window. */
export class Requests implements Submitter {
  slotsInUse = 0;
  private inFlight = 0;
  private readonly waiting = new Set<() => void>();

  /** @param windowNow requests that may be in flight at once, as it is at the moment */
  constructor(
    private readonly windowNow: () => number,
    private readonly send: (segment: OutboundSegment) => Promise<SubmitOutcome>,
  ) {}

  get window(): number {
    return this.windowNow();
  }

  async submit(segment: OutboundSegment): Promise<SubmitOutcome> {
    this.inFlight += 1;
    try {
      return await this.send(segment);
    } finally {
      this.inFlight -= 1;
      if (this.inFlight === 0) for (const tell of this.waiting) tell();
    }
  }

  /** Resolves when no request is in flight, or after the timeout. */
  untilIdle(timeoutMs: number): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const tell = () => {
        clearTimeout(timer);
        this.waiting.delete(tell);
        resolve();
      };
      const timer = setTimeout(tell, timeoutMs);
      this.waiting.add(tell);
    });
  }
}
