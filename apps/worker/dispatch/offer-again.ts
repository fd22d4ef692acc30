import type { DispatchQueue } from '#queue';

/** Timers that one worker keeps; beyond it the sweeper offers the orders, two seconds later. */
const TIMED_MAX = 20_000;

/** Puts orders on the queue again after their back-off. A shortcut: what it drops, the sweeper finds. */
export class OfferAgain {
  /** Orders by the time they are due, in steps, so that a storm of throttled messages makes few timers and few jobs. */
  private readonly due = new Map<number, string[]>();
  private timed = 0;

  constructor(private readonly queue: DispatchQueue) {}

  later(id: string, afterMs: number): void {
    if (this.timed >= TIMED_MAX) return;
    this.timed += 1;
    const stepMs = Math.ceil((Date.now() + afterMs + 20) / 100) * 100;
    const ids = this.due.get(stepMs);
    if (ids !== undefined) {
      ids.push(id);
      return;
    }
    this.due.set(stepMs, [id]);
    setTimeout(() => this.offer(stepMs), stepMs - Date.now()).unref();
  }

  private offer(stepMs: number): void {
    const ids = this.due.get(stepMs) ?? [];
    this.due.delete(stepMs);
    this.timed -= ids.length;
    this.queue.enqueue(ids).catch(() => undefined);
  }
}
