import { Coalescer } from '#batching';
import { type Database, type EventBatch, type EventRead, isPoison, readEvents } from '#persistence';
import { type EventSubjects, eventSubjects } from './event-subjects.js';

/** Webhooks that share a statement. */
const READS_MAX = 50;
/** Batches that a webhook reads at a time, and those of all webhooks that share a statement. */
const BATCHES_MAX = 50;
const BATCHES_TOGETHER = 100;
/**
 * Wanted events after which a webhook reads no further batch. A batch has up to 500 of them, and they stay in memory
 * until a slow receiver has taken them.
 */
const EVENTS_MAX = 1_000;

/** The next batches of an account; `isEnd`: there are no more now. */
export interface BatchesRead {
  readonly batches: readonly EventBatch[];
  readonly subjects: EventSubjects;
  readonly isEnd: boolean;
}

/**
 * Reads for the webhooks of this process. Those that read at the same time share statements, so many webhooks with few
 * events each cost the database as little as one with many.
 */
export class EventReader {
  private readonly reads = new Coalescer((reads: readonly EventRead[]) => this.readTogether(reads), {
    itemsMax: READS_MAX,
    isPoison,
  });

  constructor(private readonly database: Database) {}

  read(read: EventRead): Promise<BatchesRead> {
    return this.reads.add(read);
  }

  private async readTogether(reads: readonly EventRead[]): Promise<BatchesRead[]> {
    const limit = { batches: Math.min(BATCHES_MAX, Math.ceil(BATCHES_TOGETHER / reads.length)), events: EVENTS_MAX };
    const found = await readEvents(this.database, reads, limit);
    const subjects = await eventSubjects(this.database, found.flat());
    return found.map((batches) => {
      const events = batches.reduce((sum, batch) => sum + wantedEvents(batch), 0);
      return { batches, subjects, isEnd: batches.length < limit.batches && events < limit.events };
    });
  }
}

/** Events of a batch that its reader wants. */
export function wantedEvents({ isWanted, data, messageIds }: EventBatch): number {
  if (!isWanted) return 0;
  return data === undefined ? messageIds.length : 1;
}
