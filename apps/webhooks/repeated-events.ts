import {
  type AttemptKind,
  type Database,
  dueRetries,
  eventIdOf,
  findEvents,
  forgetRetry,
  type LeasedEndpoint,
  type WebhookRetry,
} from '#persistence';
import { eventBody } from './event-body.js';
import type { ReadyEvent } from './event-stream.js';
import { eventSubjects } from './event-subjects.js';

/** Events that are read at a time. */
const DUE_MAX = 64;

export interface RepeatedEvent extends ReadyEvent {
  readonly kind: AttemptKind;
  /** The attempts that were made. */
  readonly attempts: number;
  /** Whether it has a row in `webhook_retry`. */
  readonly isStored: boolean;
}

/**
 * Events that are sent again now, without those that are in memory already.
 *
 * @param isAskedForOnly only those that the owner has asked for
 */
export async function readDue(
  database: Database,
  endpoint: LeasedEndpoint,
  now: Date,
  isAskedForOnly: boolean,
  isKnown: (eventId: string) => boolean,
): Promise<RepeatedEvent[]> {
  const due = await dueRetries(database, endpoint.endpointId, now, DUE_MAX, isAskedForOnly);
  return prepared(
    database,
    endpoint,
    due.filter((place) => !isKnown(eventIdOf(place))),
  );
}

/** The event that has waited longest, whether it is due or not. */
export async function readOldest(database: Database, endpoint: LeasedEndpoint): Promise<RepeatedEvent[]> {
  return prepared(database, endpoint, await dueRetries(database, endpoint.endpointId, undefined, 1));
}

async function prepared(
  database: Database,
  { endpointId, accountId }: LeasedEndpoint,
  retries: readonly WebhookRetry[],
): Promise<RepeatedEvent[]> {
  const events: RepeatedEvent[] = [];
  for (const { batchId, index, kind, attempts } of retries) {
    const batch = await findEvents(database, batchId);
    // It is not kept any more.
    if (batch === undefined) await forgetRetry(database, endpointId, { batchId, index, kind });
    else {
      const { type } = batch;
      const subjects = await eventSubjects(database, [{ type, messageIds: batch.messageIds.slice(index, index + 1) }]);
      const body = eventBody(batch, index, subjects, accountId);
      events.push({ batchId, index, type: batch.type, at: batch.at, body, kind, attempts, isStored: true });
    }
  }
  return events;
}
