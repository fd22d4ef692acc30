import { Overloaded } from '#batching';

const TURN_WAIT_MAX_MS = 10_000;

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets so much work run at once. Further work waits, and accounts take turns, however much each of them wants. */
export class AccountTurns {
  /** Waiting work by account, in the order in which the accounts come next. */
  private readonly waiting = new Map<string, Waiting[]>();
  private running = 0;

  constructor(private readonly atOnceMax: number) {}

  /**
   * Does the work when the account comes next.
   *
   * @throws Overloaded when the others took too long
   */
  async run<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
    const endTurn = await this.turn(accountId);
    try {
      return await work();
    } finally {
      endTurn();
    }
  }

  /**
   * Resolves when the account comes next.
   *
   * @returns a function that ends its turn; it may be called again
   * @throws Overloaded when the others took too long
   */
  async turn(accountId: string): Promise<() => void> {
    if (this.running >= this.atOnceMax) await this.wait(accountId);
    else this.running += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.next();
    };
  }

  private wait(accountId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.waiting.get(accountId) ?? [];
      const timer = setTimeout(() => {
        line.splice(line.indexOf(one), 1);
        reject(new Overloaded(1));
      }, TURN_WAIT_MAX_MS);
      const one: Waiting = { begin: resolve, timer };
      line.push(one);
      this.waiting.set(accountId, line);
    });
  }

  /** Lets the next account go on, and puts it at the end if it has more. */
  private next(): void {
    for (const [accountId, line] of this.waiting) {
      this.waiting.delete(accountId);
      const first = line.shift();
      if (line.length > 0) this.waiting.set(accountId, line);
      if (first === undefined) continue;
      clearTimeout(first.timer);
      first.begin();
      return;
    }
    this.running -= 1;
  }
}
