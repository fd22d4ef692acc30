import {
  type AttemptKind,
  dueRetries,
  eventIdOf,
  findEvents,
  forgetRetry,
  type LeasedEndpoint,
  type WebhookRetry,
} from '#persistence';
import type { DeliveryDependencies } from './delivery-dependencies.js';
import { eventBody } from './event-body.js';
import type { ReadyEvent } from './event-stream.js';
import { eventSubjects } from './event-subjects.js';
import { putOff, type UnreadableEvent } from './put-off.js';

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
  dependencies: DeliveryDependencies,
  endpoint: LeasedEndpoint,
  isAskedForOnly: boolean,
  isKnown: (eventId: string) => boolean,
): Promise<RepeatedEvent[]> {
  const { database, now } = dependencies;
  const due = await dueRetries(database, endpoint.endpointId, new Date(now()), DUE_MAX, isAskedForOnly);
  return prepared(
    dependencies,
    endpoint,
    due.filter((place) => !isKnown(eventIdOf(place))),
  );
}

/** The event that has waited longest, whether it is due or not. */
export async function readOldest(
  dependencies: DeliveryDependencies,
  endpoint: LeasedEndpoint,
): Promise<RepeatedEvent[]> {
  return prepared(dependencies, endpoint, await dueRetries(dependencies.database, endpoint.endpointId, undefined, 1));
}

async function prepared(
  dependencies: DeliveryDependencies,
  { endpointId, accountId }: LeasedEndpoint,
  retries: readonly WebhookRetry[],
): Promise<RepeatedEvent[]> {
  const { database } = dependencies;
  const events: RepeatedEvent[] = [];
  const unreadable: UnreadableEvent[] = [];
  for (const { batchId, index, kind, attempts } of retries) {
    const batch = await findEvents(database, batchId);
    // It is not kept any more.
    if (batch === undefined) await forgetRetry(database, endpointId, { batchId, index, kind });
    else {
      const { type } = batch;
      const subjects = await eventSubjects(database, [{ type, messageIds: batch.messageIds.slice(index, index + 1) }]);
      const body = eventBody(batch, index, subjects, accountId);
      if (typeof body !== 'string') unreadable.push({ batchId, index, reason: body });
      else events.push({ batchId, index, type: batch.type, at: batch.at, body, kind, attempts, isStored: true });
    }
  }
  await putOff(dependencies, endpointId, unreadable);
  return events;
}
