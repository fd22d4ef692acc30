import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { AccountsInFlight } from './accounts-in-flight.js';
import { FairSlots } from './fair-slots.js';

/** Orders of one account that may wait for slots in this worker one by one; the rest takes turns, which cost the database more. */
const ORDERS_MAX = 1_000;
/** Jobs of a carrier's queue that a worker works on at a time: what waits here for one carrier cannot go by another worker. */
const CARRIER_JOBS_MAX = 32;

/** How many jobs of a carrier's queue wait or are worked on here at a time. */
export function carrierConcurrency(workerConcurrency: number, windowSize: number): number {
  return Math.min(workerConcurrency, CARRIER_JOBS_MAX, Math.max(2, windowSize));
}

/** Bounds of the jobs that wait in a line, so that those of others can come in. */
interface JobBounds {
  readonly ofAccountMax: number;
  readonly crowdMin: number;
}

function jobBounds(concurrency: number): JobBounds {
  return {
    ofAccountMax: Math.max(2, Math.floor(concurrency / 4)),
    crowdMin: Math.max(2, Math.floor((concurrency * 3) / 4)),
  };
}

/** The lines for slots in this worker: one for those of any carrier, one for each carrier's. */
export class SlotLines {
  private readonly ofCarriers = new Map<number, FairSlots>();
  /** For orders that any carrier may take. */
  readonly any: FairSlots;
  private readonly bounds: { readonly any: JobBounds; readonly ofCarrier: JobBounds };

  /** @param concurrency jobs that wait in the line of any carrier at most */
  constructor(
    private readonly carriers: CarrierPool,
    private readonly inFlight: AccountsInFlight,
    concurrency: number,
  ) {
    this.any = new FairSlots(
      {
        take: (max) => carriers.takeSlots(max),
        changed: (timeoutMs) => carriers.slotsChanged(timeoutMs),
      },
      inFlight,
    );
    this.bounds = { any: jobBounds(concurrency), ofCarrier: jobBounds(Math.min(concurrency, CARRIER_JOBS_MAX)) };
  }

  of(carrierId: number): FairSlots {
    const known = this.ofCarriers.get(carrierId);
    if (known !== undefined) return known;
    const line = new FairSlots(
      {
        take: (max) => this.carriers.takeSlotsOf(carrierId, max),
        changed: (timeoutMs) => this.carriers.slotsChangedOf(carrierId, timeoutMs),
      },
      this.inFlight,
    );
    this.ofCarriers.set(carrierId, line);
    return line;
  }

  /** Whether an account has so much in a line that a further job of it would keep places from others. */
  isFullFor(account: string, line: FairSlots): boolean {
    return (
      line.waitingEntriesOf(account, 'interactive') >= this.boundsOf(line).ofAccountMax ||
      line.waitingOrdersOf(account, 'interactive') >= ORDERS_MAX
    );
  }

  /** Whether so many jobs wait in a line that others might not come in. */
  isCrowded(line: FairSlots): boolean {
    return line.waitingEntries('interactive') >= this.boundsOf(line).crowdMin;
  }

  private boundsOf(line: FairSlots): JobBounds {
    return line === this.any ? this.bounds.any : this.bounds.ofCarrier;
  }

  close(): void {
    for (const line of [this.any, ...this.ofCarriers.values()]) line.close();
  }
}
