/** One question about one account: a query that runs, and the one that starts after it. */
interface Lane {
  running: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

/**
 * Lets reads of the same thing that come together share one query. A read never gets the answer of a query that began before it
 * came, so it sees everything that was committed before it was sent; at most one query of a kind runs at a time, so a client
 * that asks often costs little more than one that asks once.
 */
export class SharedReads {
  private readonly lanes = new Map<string, Lane>();

  /** The answer of `query`, or of an equal one of the same key that began after this call. */
  read<Result>(key: string, query: () => Promise<Result>): Promise<Result> {
    const lane = this.lanes.get(key);
    if (lane === undefined) return this.start(key, query);
    // The first of those that wait brings the query; the answer is the same for all.
    const begin = () => this.start(key, query);
    lane.next ??= lane.running.then(begin, begin);
    return lane.next as Promise<Result>;
  }

  private start<Result>(key: string, query: () => Promise<Result>): Promise<Result> {
    const running = query();
    const lane: Lane = { running, next: undefined };
    this.lanes.set(key, lane);
    const end = () => {
      // Whoever waits has replaced the lane by then, or is about to.
      if (lane.next === undefined && this.lanes.get(key) === lane) this.lanes.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
