/** Callers that wait until slots are free, each with its own timeout. */
export class SlotWatchers {
  private readonly wakers = new Set<() => void>();

  get areThere(): boolean {
    return this.wakers.size > 0;
  }

  /** Resolves when `wake` is called, or after the time. */
  wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.wakers.add(wake);
    });
  }

  wake(): void {
    for (const wake of [...this.wakers]) wake();
  }
}
