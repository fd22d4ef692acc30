import type { AcceptRequest } from '#persistence';

/** A key's first use: its orders, and what it was used for. */
interface Keyed {
  readonly fingerprint: Buffer;
  readonly firstSequence: number;
  readonly orderCount: number;
}

/**
 * An account as the documentation describes it, in memory and without any database: what a request is answered, and
 * what is stored of it. It knows nothing of other accounts, nor of what shares a commit.
 */
export class AccountModel {
  isSuspended = false;
  private reserved = 0n;
  private readonly orders: { readonly id: string; readonly price: bigint }[] = [];
  private readonly keys = new Map<string, Keyed>();
  private readonly backlog: (readonly [number, number])[] = [];
  private readonly entries: (readonly [number, string, string, number, number, number])[] = [];
  private lastEntry: number;
  /** Messages since the last pause, and what the commit under way has taken. */
  private recent = 0;
  private before = { reserved: 0n, orders: 0 };

  constructor(
    readonly accountId: string,
    private readonly deposited: bigint,
    private readonly creditLimit: bigint,
    private readonly perSecond: number | undefined,
  ) {
    this.lastEntry = deposited > 0n ? 1 : 0;
  }

  /** The limit forgets what was sent. */
  pause(): void {
    this.recent = 0;
  }

  accept({ messages, total, idempotencyKey }: AcceptRequest, isAgain: boolean): { kind: string } {
    const count = messages.length;
    if (isAgain && this.orders.some(({ id }) => id === messages[0]?.id)) return { kind: 'accepted' };
    if (this.isSuspended) return { kind: 'suspended' };
    const known = idempotencyKey && this.keys.get(idempotencyKey.key);
    if (known !== undefined && idempotencyKey !== undefined) {
      if (!known.fingerprint.equals(idempotencyKey.fingerprint)) return { kind: 'key_reused' };
      const { firstSequence, orderCount } = known;
      return { kind: 'replayed', firstSequence: BigInt(firstSequence), orderCount } as { kind: string };
    }
    // A second's worth; more than that at once only after a pause.
    if (this.perSecond !== undefined && this.recent + count > this.perSecond) {
      if (this.recent > 0 || count <= this.perSecond) return { kind: 'rate_limited' };
    }
    const balance = this.deposited - this.reserved;
    if (total > balance + this.creditLimit) return { kind: 'insufficient_balance', balance } as { kind: string };

    const firstSequence = this.orders.length + 1;
    this.orders.push(...messages.map(({ id, price }) => ({ id, price })));
    this.reserved += total;
    this.recent += count;
    if (idempotencyKey !== undefined) {
      const { key, fingerprint } = idempotencyKey;
      this.keys.set(key, { fingerprint, firstSequence, orderCount: count });
    }
    if (count > 1) this.backlog.push([firstSequence, this.orders.length]);
    return { kind: 'accepted' };
  }

  /** What was accepted since the last commit has one entry in the journal. */
  commit(): void {
    const amount = this.reserved - this.before.reserved;
    const first = this.before.orders + 1;
    if (amount > 0n) {
      this.lastEntry += 1;
      const available = String(this.deposited - this.reserved);
      const last = this.orders.length;
      this.entries.push([this.lastEntry, String(amount), available, first, last, last - first + 1]);
    }
    this.before = { reserved: this.reserved, orders: this.orders.length };
  }

  stored(): unknown {
    return {
      reserved: String(this.reserved),
      lastSequence: this.orders.length,
      lastEntry: this.lastEntry,
      orders: this.orders.map(({ id, price }, index) => [id, index + 1, String(price)]),
      keys: [...this.keys].sort(byKey).map(([key, { firstSequence, orderCount }]) => [key, firstSequence, orderCount]),
      backlog: this.backlog,
      wantsTurns: this.backlog.length > 0,
      entries: this.entries,
    };
  }
}

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);
