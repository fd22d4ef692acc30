import type { CarrierPool } from '../carriers/carrier-pool.js';
import type { AccountsInFlight } from './accounts-in-flight.js';
import { FairSlots } from './fair-slots.js';

/** Orders of one account that may wait for slots in this worker one by one; the rest takes turns. */
const ORDERS_MAX = 400;

/** The lines for slots in this worker: one for those of any carrier, one for each carrier's. */
export class SlotLines {
  private readonly ofCarriers = new Map<number, FairSlots>();
  /** For orders that any carrier may take. */
  readonly any: FairSlots;
  private readonly jobsMax: number;
  private readonly crowdMin: number;

  /** @param concurrency jobs that wait in one line at most */
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
    this.jobsMax = Math.max(2, Math.floor(concurrency / 4));
    this.crowdMin = Math.max(2, Math.floor((concurrency * 3) / 4));
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
      line.waitingEntriesOf(account, 'interactive') >= this.jobsMax ||
      line.waitingOrdersOf(account, 'interactive') >= ORDERS_MAX
    );
  }

  /** Whether so many jobs wait in a line that others might not come in. */
  isCrowded(line: FairSlots): boolean {
    return line.waitingEntries('interactive') >= this.crowdMin;
  }

  close(): void {
    for (const line of [this.any, ...this.ofCarriers.values()]) line.close();
  }
}
