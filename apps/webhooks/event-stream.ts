import type { EventCursor } from '#persistence';
import type { DeliveryDependencies } from './delivery-dependencies.js';
import { eventBody } from './event-body.js';
import { wantedEvents } from './event-reader.js';
import { putOff, type UnreadableEvent } from './put-off.js';
import { BatchPart, ReadingPlace } from './reading-place.js';

/** An event that is ready to be sent. */
export interface ReadyEvent {
  readonly batchId: string;
  readonly index: number;
  readonly type: string;
  readonly at: Date;
  readonly body: string;
}

/** One event of a stream, and what to call when it has ended. */
export interface StreamedEvent extends ReadyEvent {
  readonly settle: () => void;
}

/** Reads the events of an account for one webhook in order, and knows which of them have ended. */
export class EventStream {
  private readonly place: ReadingPlace;
  /** After which batch the next read begins. */
  private after: EventCursor;
  /** There may be events that were not read. */
  isBehind = true;

  constructor(
    private readonly dependencies: Pick<DeliveryDependencies, 'database' | 'reader' | 'log' | 'now'>,
    private readonly webhook: { readonly endpointId: string; readonly accountId: string },
    start: EventCursor,
    private readonly range?: { readonly from: string; readonly until: string },
  ) {
    this.place = new ReadingPlace(start);
    this.after = start;
  }

  /** What is stored: everything before it has ended. */
  get cursor(): EventCursor {
    return this.place.current;
  }

  /** Where the next read begins. */
  get position(): EventCursor {
    return this.after;
  }

  get isSettled(): boolean {
    return this.place.isSettled;
  }

  /** Reads what has not ended again. */
  rewind(): void {
    this.after = this.place.rewind();
    this.isBehind = true;
  }

  /** The next events. */
  async next(): Promise<readonly StreamedEvent[]> {
    // It may be told of new ones while it reads.
    this.isBehind = false;
    let isEnd = false;
    try {
      const read = await this.read();
      isEnd = read.isEnd;
      return read.events;
    } finally {
      this.isBehind ||= !isEnd;
    }
  }

  private async read(): Promise<{ readonly events: readonly StreamedEvent[]; readonly isEnd: boolean }> {
    const { dependencies, webhook, range } = this;
    const { endpointId, accountId } = webhook;
    const read = { endpointId, accountId, after: this.after, range };
    const { batches, subjects, isEnd } = await dependencies.reader.read(read);
    const events: StreamedEvent[] = [];
    const unreadable: (UnreadableEvent & { readonly settle: () => void })[] = [];
    const parts: BatchPart[] = [];
    let { after } = this;
    for (const batch of batches) {
      const count = wantedEvents(batch);
      const { batchId, type, at } = batch;
      // The batch that a place is in may have been too old to be kept.
      const isInside = BigInt(batchId) === BigInt(after.batchId) + 1n;
      const part = new BatchPart(batch.xid, batchId, count, isInside ? after.index : 0);
      for (let index = part.leading; index < count; index += 1) {
        const body = eventBody(batch, index, subjects, accountId);
        const settle = () => part.settle(index);
        if (typeof body === 'string') events.push({ batchId, index, type, at, body, settle });
        else unreadable.push({ batchId, index, reason: body, settle });
      }
      parts.push(part);
      after = { xid: batch.xid, batchId, index: 0 };
    }
    await putOff(dependencies, endpointId, unreadable);
    for (const { settle } of unreadable) settle();
    for (const part of parts) this.place.add(part);
    this.after = after;
    return { events, isEnd };
  }
}
