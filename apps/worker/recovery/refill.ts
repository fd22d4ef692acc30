/** What was on a queue is looked at by a walk that begins so long after the loss: a walk leaves out what is younger than two seconds. */
const LAST_WALK_AFTER_MS = 3_000;

/**
 * What is offered to a queue that has lost everything: every open order, over as many sweeps as that takes, and each once. A backlog that
 * is offered over and over keeps every worker busy with finding out that it is done.
 */
export class Refill {
  private readonly offered = new Set<string>();
  private readonly beganMs = performance.now();
  private isLastWalk = false;
  /** Whether all that was on the queue is offered. */
  isOver = false;

  walkBegins(): void {
    this.isLastWalk = performance.now() - this.beganMs >= LAST_WALK_AFTER_MS;
  }

  walkEnded(): void {
    this.isOver = this.isLastWalk;
  }

  /** Those that were not offered before; from now on they were. */
  fresh<T extends { readonly id: string }>(orders: readonly T[]): T[] {
    const fresh = orders.filter(({ id }) => !this.offered.has(id));
    for (const { id } of fresh) this.offered.add(id);
    return fresh;
  }
}
