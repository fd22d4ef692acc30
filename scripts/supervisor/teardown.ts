/** The started parts, which are stopped in the opposite order. */
export class Teardown {
  private readonly steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.steps.push(step);
  }

  /** Runs every step, also after one that fails. */
  async run(report: (error: unknown) => void): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        report(error);
      }
    }
  }
}
