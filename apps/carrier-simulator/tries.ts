import type { Submit } from './read-submit.js';

const REMEMBERED_MAX = 10_000;

/**
 * Counts the tries of the same submit_sm: same destination, same octets. After the last faulty try the count starts
 * again, so that the next message with the same text gets the same fault.
 */
export class Tries {
  private readonly counts = new Map<string, number>();

  /** @returns whether this try is one of the first `faulty` */
  isFaulty(submit: Submit, faulty: number): boolean {
    const key = `${submit.destination.value} ${submit.userData.toString('latin1')}`;
    const before = this.counts.get(key) ?? 0;
    this.counts.delete(key);
    if (before >= faulty) return false;
    this.counts.set(key, before + 1);
    if (this.counts.size > REMEMBERED_MAX) this.forgetOldest();
    return true;
  }

  private forgetOldest(): void {
    for (const key of this.counts.keys()) {
      this.counts.delete(key);
      return;
    }
  }
}
