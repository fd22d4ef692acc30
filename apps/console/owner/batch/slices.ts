/** How long one slice of long work may keep the page from answering. */
const SLICE_MS = 30;

/** Divides long work into slices; the page answers between them. */
export class PageSlices {
  private startMs = performance.now();

  /** @param signal ends the work at its next pause */
  constructor(private readonly signal?: AbortSignal) {}

  /** Whether a pause is due. */
  get isOver(): boolean {
    return performance.now() - this.startMs >= SLICE_MS;
  }

  /**
   * Resolves after the page had its turn.
   *
   * @throws the signal's reason, if it was aborted
   */
  async pause(): Promise<void> {
    await new Promise<void>((goOn) => setTimeout(goOn, 0));
    this.signal?.throwIfAborted();
    this.startMs = performance.now();
  }
}
