/**
 * Work that is done again and again, with a rest after each time. It never runs twice at once, and a failure does not
 * end it.
 */
export class PeriodicWork {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  /**
   * @param work may return how many milliseconds to rest before the next time, if that is not `everyMs`
   * @param onFailure is told why the work failed
   */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<number | undefined>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Begins after this time. */
  start(waitMs = this.everyMs): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.runOnce().then((restMs) => this.start(restMs));
    }, waitMs);
  }

  /** Resolves when the work that runs has ended; it is not begun again. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async runOnce(): Promise<number | undefined> {
    try {
      return await this.work();
    } catch (error) {
      this.onFailure(error);
      return undefined;
    }
  }
}
