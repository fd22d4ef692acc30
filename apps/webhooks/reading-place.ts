import type { EventCursor } from '#persistence';

/** Events of one batch, some of which have been dealt with. */
export class BatchPart {
  private readonly done: boolean[];
  private left: number;

  constructor(
    readonly xid: string,
    readonly batchId: string,
    count: number,
    /** So many of its first events were dealt with before. */
    first: number,
  ) {
    this.done = Array.from({ length: count }, (_, index) => index < first);
    this.left = Math.max(0, count - first);
  }

  get isDone(): boolean {
    return this.left === 0;
  }

  /** How many of its first events are dealt with. */
  get leading(): number {
    const open = this.done.indexOf(false);
    return open === -1 ? this.done.length : open;
  }

  /** Before its first event that is not dealt with. */
  get place(): EventCursor {
    return { xid: this.xid, batchId: String(BigInt(this.batchId) - 1n), index: this.leading };
  }

  settle(index: number): void {
    if (this.done[index] !== false) return;
    this.done[index] = true;
    this.left -= 1;
  }
}

/**
 * How far an endpoint is. Events end in any order; the place is before the first one that has not ended, so nothing is
 * lost when the process ends, and what ended behind it is sent again.
 */
export class ReadingPlace {
  private readonly parts: BatchPart[] = [];
  private cursor: EventCursor;

  constructor(start: EventCursor) {
    this.cursor = start;
  }

  add(part: BatchPart): void {
    this.parts.push(part);
  }

  /** Whether everything that was read has ended. */
  get isSettled(): boolean {
    this.advance();
    return this.parts.length === 0;
  }

  /** Where reading goes on after the process ends. */
  get current(): EventCursor {
    this.advance();
    const [open] = this.parts;
    return open === undefined || open.leading === 0 ? this.cursor : open.place;
  }

  /** Forgets what was read and has not ended, and returns where to read on. */
  rewind(): EventCursor {
    this.cursor = this.current;
    this.parts.length = 0;
    return this.cursor;
  }

  private advance(): void {
    let finished = 0;
    for (const { isDone, xid, batchId } of this.parts) {
      if (!isDone) break;
      this.cursor = { xid, batchId, index: 0 };
      finished += 1;
    }
    this.parts.splice(0, finished);
  }
}
