import { setTimeout as delay } from 'node:timers/promises';
import { isPoison, type SubmitResult } from '#persistence';

const RETRY_AFTER_MS = 50;

interface HeldAnswer {
  readonly result: SubmitResult;
  readonly sinceMs: number;
  readonly resolve: (nothing: undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers of a carrier that wait because another transaction holds their order or the balance of its account. They are
 * tried again and again, in turns, so they delay no other answers. Those of one order keep their order. A bad one among
 * them is found by halves, so that only it is given up.
 */
export class HeldAnswers {
  private answers: HeldAnswer[] = [];
  /** The orders of these answers, also while they are tried. */
  private orders = new Set<string>();
  private tries: Promise<void> | undefined;

  /**
   * @param write records answers and gives the orders that it had to pass over; it waits for the balance of `awaited`
   * @param limits so many answers are tried together, and each for so long
   */
  constructor(
    private readonly write: (results: readonly SubmitResult[], awaited?: string) => Promise<ReadonlySet<string>>,
    private readonly limits: { readonly batchMax: number; readonly giveUpAfterMs: number },
  ) {}

  /** Whether an answer of the order is held. No later answer of the order may be written before it. */
  has(orderId: string): boolean {
    return this.orders.has(orderId);
  }

  /** Resolves when the answer is written; rejects when it cannot be written, or not in time. */
  add(result: SubmitResult): Promise<undefined> {
    return new Promise((resolve, reject) => {
      this.answers.push({ result, sinceMs: performance.now(), resolve, reject });
      this.orders.add(result.id);
      this.tries ??= this.tryAgain().finally(() => {
        this.tries = undefined;
      });
    });
  }

  /** Resolves when no answer is held. */
  async drain(): Promise<void> {
    await this.tries;
  }

  private async tryAgain(): Promise<void> {
    let batch = this.limits.batchMax;
    while (this.answers.length > 0) {
      await delay(RETRY_AFTER_MS);
      const tried = this.answers.splice(0, batch);
      batch = this.limits.batchMax;
      try {
        // Any of them, because the balance of the first one may be held for long.
        const { id } = tried[Math.floor(Math.random() * tried.length)]?.result ?? {};
        const held = await this.write(
          tried.map(({ result }) => result),
          id,
        );
        const ofHeld = ({ result }: HeldAnswer) => held.has(result.id);
        const again = tried.filter(ofHeld);
        const isOver = ({ sinceMs }: HeldAnswer) => performance.now() - sinceMs > this.limits.giveUpAfterMs;
        // Behind the others: however many wait for one balance, those for other balances have their turn.
        this.answers = [
          ...this.answers.filter((each) => !ofHeld(each)),
          ...again.filter((each) => !isOver(each)),
          ...this.answers.filter(ofHeld),
        ];
        for (const { reject } of again.filter(isOver)) {
          reject(new Error('the order or its balance was held for too long'));
        }
        for (const each of tried) if (!ofHeld(each)) each.resolve(undefined);
      } catch (error) {
        if (tried.length > 1 && isPoison(error)) {
          this.answers.unshift(...tried);
          batch = tried.length >> 1;
        } else {
          for (const { reject } of tried) reject(error);
        }
      }
      this.orders = new Set(this.answers.map(({ result }) => result.id));
    }
  }
}
