/**
 * The answer to a question that costs more than it is worth for each who asks. For a while, all who ask get the same
 * one. A failure is no answer: whoever comes next asks again.
 */
export class KeptAnswer<Answer> {
  private latest: Promise<Answer> | undefined;
  private expiresMs = 0;

  constructor(
    private readonly keptForMs: number,
    private readonly ask: () => Promise<Answer>,
  ) {}

  get(): Promise<Answer> {
    const nowMs = performance.now();
    if (this.latest !== undefined && nowMs < this.expiresMs) return this.latest;
    const asked = this.ask();
    this.latest = asked;
    this.expiresMs = nowMs + this.keptForMs;
    asked.catch(() => {
      if (this.latest === asked) this.latest = undefined;
    });
    return asked;
  }

  /** It has changed: whoever comes next asks again. */
  forget(): void {
    this.latest = undefined;
  }
}
