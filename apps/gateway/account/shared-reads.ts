/** One kind of read of one account: the running query, and the query that starts after it. */
interface QueryPair {
  running: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

/**
 * Lets equal reads that come together share one query. A read never gets the result of a query that began before the
 * read arrived, so it sees everything that was committed before the request. At most one query of a kind runs at a
 * time, so a client that asks often costs little more than one that asks once.
 */
export class SharedReads {
  private readonly pairs = new Map<string, QueryPair>();

  /** The result of `query`, or of an equal query with the same key that began after this call. */
  read<Result>(key: string, query: () => Promise<Result>): Promise<Result> {
    const pair = this.pairs.get(key);
    if (pair === undefined) return this.start(key, query);
    // The first waiting read provides the query; the result is the same for all.
    const begin = () => this.start(key, query);
    pair.next ??= pair.running.then(begin, begin);
    return pair.next as Promise<Result>;
  }

  private start<Result>(key: string, query: () => Promise<Result>): Promise<Result> {
    const running = query();
    const pair: QueryPair = { running, next: undefined };
    this.pairs.set(key, pair);
    const end = () => {
      // If reads wait, they have replaced this pair by now, or will.
      if (pair.next === undefined && this.pairs.get(key) === pair) this.pairs.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
