/** Orders of one account that wait together. */
export interface Waiting {
  readonly account: string;
  /** Orders that still want a slot. */
  left: number;
}

/** Who waits in one lane: accounts in turn, each for one slot; within an account the first come. */
export class WaitingLane<Entry extends Waiting> {
  /** In the order of their turns: who had one goes to the end. */
  private readonly accounts = new Map<string, Entry[]>();
  private orders = 0;
  private entries = 0;

  get waitingOrders(): number {
    return this.orders;
  }

  get waitingEntries(): number {
    return this.entries;
  }

  ordersOf(account: string): number {
    return (this.accounts.get(account) ?? []).reduce((sum, { left }) => sum + left, 0);
  }

  entriesOf(account: string): number {
    return this.accounts.get(account)?.length ?? 0;
  }

  get accountNames(): string[] {
    return [...this.accounts.keys()];
  }

  add(waiting: Entry): void {
    const entries = this.accounts.get(waiting.account);
    if (entries === undefined) this.accounts.set(waiting.account, [waiting]);
    else entries.push(waiting);
    this.orders += waiting.left;
    this.entries += 1;
  }

  remove(waiting: Entry): void {
    const entries = this.accounts.get(waiting.account);
    const index = entries?.indexOf(waiting) ?? -1;
    if (entries === undefined || index < 0) return;
    entries.splice(index, 1);
    if (entries.length === 0) this.accounts.delete(waiting.account);
    this.orders -= waiting.left;
    this.entries -= 1;
  }

  /** Whose turn it is among those that may; takes one order off what they wait for and sends the account to the end. */
  next(mayGo: (account: string) => boolean): Entry | undefined {
    for (const [account, entries] of this.accounts) {
      const [waiting] = entries;
      if (waiting === undefined || !mayGo(account)) continue;
      this.accounts.delete(account);
      this.orders -= 1;
      waiting.left -= 1;
      if (waiting.left === 0) {
        entries.shift();
        this.entries -= 1;
      }
      if (entries.length > 0) this.accounts.set(account, entries);
      return waiting;
    }
    return undefined;
  }
}
