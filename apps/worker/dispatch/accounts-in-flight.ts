/** Orders whose account is not known (jobs of earlier releases, and of carriers' queues): no cap holds for them. */
export const UNKNOWN_ACCOUNT = '';

/**
 * What each account has at carriers and unanswered, and how much it may. A cap is for all workers together: each has its
 * part, by its place among the live ones, so that the parts add up to the cap (where it is not below the number of workers).
 */
export class AccountsInFlight {
  private readonly inFlight = new Map<string, number>();
  private caps: ReadonlyMap<string, number> = new Map();
  private readonly watchers = new Set<() => void>();
  private workers = 1;
  private place = 0;

  /** @param usualCap of accounts without one of their own; undefined: none */
  constructor(private readonly usualCap: number | undefined) {}

  /** How many more orders of the account may be handed to carriers by this worker now. */
  room(account: string): number {
    return Math.max(0, this.share(account) - (this.inFlight.get(account) ?? 0));
  }

  /** This worker's part of the account's cap, at least one message: nobody knows which worker meets the account next. */
  private share(account: string): number {
    const cap = account === UNKNOWN_ACCOUNT ? undefined : (this.caps.get(account) ?? this.usualCap);
    if (cap === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(cap / this.workers) + (this.place < cap % this.workers ? 1 : 0));
  }

  count(account: string): number {
    return this.inFlight.get(account) ?? 0;
  }

  begin(account: string, orders: number): void {
    this.inFlight.set(account, this.count(account) + orders);
  }

  end(account: string, orders: number): void {
    const left = this.count(account) - orders;
    if (left > 0) this.inFlight.set(account, left);
    else this.inFlight.delete(account);
    // Only a cap makes anybody wait for this; free slots are told by the carriers.
    if (Number.isFinite(this.share(account))) this.tell();
  }

  setCaps(caps: ReadonlyMap<string, number>): void {
    this.caps = caps;
    this.tell();
  }

  /** @param place of this worker among the live ones, from 0 */
  noteWorkers(workers: number, place: number): void {
    this.workers = Math.max(1, workers);
    this.place = Math.max(0, place);
    this.tell();
  }

  /** Called when an account may have got room. */
  onRoom(watcher: () => void): void {
    this.watchers.add(watcher);
  }

  private tell(): void {
    for (const watcher of this.watchers) watcher();
  }
}
