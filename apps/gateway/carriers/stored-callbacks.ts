const CALLBACKS_MAX = 10_000;

/**
 * The callbacks that were stored last, by carrier and signature. The signature covers no time, so somebody who has seen
 * a callback can repeat it. A receipt that is written twice changes nothing; with this memory it costs the database
 * nothing either.
 */
export class StoredCallbacks {
  /** Oldest first. */
  private readonly known = new Set<string>();

  has(carrierId: number, signature: string): boolean {
    return this.known.has(`${carrierId} ${signature}`);
  }

  add(carrierId: number, signature: string): void {
    if (this.known.size >= CALLBACKS_MAX) {
      const [oldest = ''] = this.known;
      this.known.delete(oldest);
    }
    this.known.add(`${carrierId} ${signature}`);
  }
}
