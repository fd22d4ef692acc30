import { ANY_CARRIER } from '#persistence';
import type { DispatchQueue } from '#queue';
import { UNKNOWN_ACCOUNT } from './accounts-in-flight.js';
import type { Lane } from './fair-slots.js';
import type { PutInBacklog } from './put-in-backlog.js';

/** Timers that one worker keeps; beyond it the sweeper offers the orders, two seconds later. */
const TIMED_MAX = 20_000;

interface DueOrder {
  readonly id: string;
  readonly account: string;
  readonly lane: Lane;
}

/**
 * Brings orders back after their back-off, by the way they came: single ones on the queue, those of batches in their account's
 * backlog. A shortcut: what it drops, the sweeper finds.
 */
export class OfferAgain {
  /** Orders by the time they are due, in steps, so that a storm of throttled messages makes few timers and few jobs. */
  private readonly due = new Map<number, DueOrder[]>();
  private timed = 0;

  constructor(
    private readonly queue: DispatchQueue,
    private readonly backlog: PutInBacklog,
  ) {}

  later(id: string, afterMs: number, account: string, lane: Lane): void {
    if (this.timed >= TIMED_MAX) return;
    this.timed += 1;
    const stepMs = Math.ceil((Date.now() + afterMs + 20) / 100) * 100;
    const orders = this.due.get(stepMs);
    if (orders !== undefined) {
      orders.push({ id, account, lane });
      return;
    }
    this.due.set(stepMs, [{ id, account, lane }]);
    setTimeout(() => this.offer(stepMs), stepMs - Date.now()).unref();
  }

  private offer(stepMs: number): void {
    const orders = this.due.get(stepMs) ?? [];
    this.due.delete(stepMs);
    this.timed -= orders.length;
    const bulk = orders.filter(({ lane }) => lane === 'bulk').map(({ id }) => id);
    const groups = orders
      .filter(({ lane }) => lane === 'interactive')
      .map(({ id, account }) => ({ ids: [id], ...(account !== UNKNOWN_ACCOUNT && { account }) }));
    this.backlog.put(bulk, ANY_CARRIER, 'batch').catch(() => undefined);
    this.queue.enqueue(groups).catch(() => undefined);
  }
}
