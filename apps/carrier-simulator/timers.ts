/** Timers that all end with the simulator. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();
  private isClosed = false;

  after(delayMs: number, action: () => void): void {
    if (this.isClosed) return;
    const timer = setTimeout(() => {
      this.running.delete(timer);
      action();
    }, delayMs);
    this.running.add(timer);
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }
}
