import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitSlot } from '#carrier';

/** How often a test asks for a slot that nobody else asks for. */
const RETRY_MS = 50;

/** A message that is to test a carrier, and waits for a slot of it. */
interface WaitingTest {
  slot: SubmitSlot | undefined;
}

/** Slots of one carrier for messages that are to test it. They come before its traffic, which may fill its window. */
export class TestSlots {
  private readonly tests = new Set<WaitingTest>();

  /** @param source a free slot of the carrier, at once */
  constructor(private readonly source: () => SubmitSlot | undefined) {}

  /** Gives free slots to the tests that wait for one. */
  serve(): void {
    for (const test of this.tests) {
      test.slot ??= this.source();
      if (test.slot === undefined) return;
    }
  }

  /**
   * Waits for a slot.
   *
   * @param isBound false ends the wait
   */
  async take(isBound: () => boolean): Promise<SubmitSlot | undefined> {
    const test: WaitingTest = { slot: undefined };
    this.tests.add(test);
    try {
      while (test.slot === undefined && isBound()) {
        this.serve();
        if (test.slot === undefined) await delay(RETRY_MS);
      }
    } finally {
      this.tests.delete(test);
    }
    return test.slot;
  }
}
