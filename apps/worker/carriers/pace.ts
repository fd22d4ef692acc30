/** Over so long the pace is taken; what was before counts less and less. */
const OVER_MS = 2_000;

/** How much happens in a second, lately. */
export class Pace {
  private count = 0;
  private lastMs = performance.now();

  note(count: number): void {
    this.count = this.left() + count;
    this.lastMs = performance.now();
  }

  get perSecond(): number {
    return (this.left() / OVER_MS) * 1_000;
  }

  private left(): number {
    return this.count * Math.exp((this.lastMs - performance.now()) / OVER_MS);
  }
}
