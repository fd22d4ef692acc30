import type { SubmitSlot } from '../carrier.js';

/** A submit that waits for a slot on the same bind as the earlier segments of its message. */
interface Follower<Bind> {
  readonly bind: Bind;
  readonly deadlineMs: number;
  readonly resolve: (slot: SubmitSlot | undefined) => void;
}

/** The further segments of long messages that wait for a slot, in order of arrival. */
export class Followers<Bind> {
  private readonly waiting = new Set<Follower<Bind>>();

  /** @param waitMaxMs how long each may wait; `serve` ends the wait */
  constructor(
    private readonly now: () => number,
    private readonly waitMaxMs = Number.POSITIVE_INFINITY,
  ) {}

  /** Resolves with a slot on this bind; undefined when there will be none. */
  add(bind: Bind): Promise<SubmitSlot | undefined> {
    return new Promise((resolve) => {
      this.waiting.add({ bind, deadlineMs: this.now() + this.waitMaxMs, resolve });
    });
  }

  /** Whether one waits for a bind of this kind. */
  some(isMeant: (bind: Bind) => boolean): boolean {
    for (const { bind } of this.waiting) if (isMeant(bind)) return true;
    return false;
  }

  /**
   * Serves all that can be served. One that waits for the window of its bind does not delay those of other binds.
   *
   * @param slotOn a slot on this bind, if one is free
   * @param mayComeBack whether it may have a free slot later
   */
  serve(slotOn: (bind: Bind) => SubmitSlot | undefined, mayComeBack: (bind: Bind) => boolean): void {
    const nowMs = this.now();
    for (const follower of this.waiting) {
      const { bind, deadlineMs, resolve } = follower;
      const slot = slotOn(bind);
      if (slot === undefined && mayComeBack(bind) && nowMs < deadlineMs) continue;
      this.waiting.delete(follower);
      resolve(slot);
    }
  }
}
