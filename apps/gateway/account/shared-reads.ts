/** One kind of read of one account: the running query, and the query that starts after it. */
interface Lane {
  running: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

/**
 * Lets equal reads that come together share one query. A read never gets the result of a query that began before the
 * read arrived, so it sees everything that was committed before the request. At most one query of a kind runs at a
 * time, so a client that asks often costs little more than one that asks once.
 */
export class SharedReads {
  private readonly lanes = new Map<string, Lane>();

  /** The result of `query`, or of an equal query with the same key that began after this call. */
  read<Result>(key: string, query: () => Promise<Result>): Promise<Result> {
    const lane = this.lanes.get(key);
    if (lane === undefined) return this.start(key, query);
    // The first waiting read provides the query; the result is the same for all.
    const begin = () => this.start(key, query);
    lane.next ??= lane.running.then(begin, begin);
    return lane.next as Promise<Result>;
  }

  private start<Result>(key: string, query: () => Promise<Result>): Promise<Result> {
    const running = query();
    const lane: Lane = { running, next: undefined };
    this.lanes.set(key, lane);
    const end = () => {
      // If reads wait, they have replaced the lane by now, or will.
      if (lane.next === undefined && this.lanes.get(key) === lane) this.lanes.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
