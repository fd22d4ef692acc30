import { type EventPlace, putOffEvents, type TextUnreadable } from '#persistence';
import type { DeliveryDependencies } from './delivery-dependencies.js';

const AGAIN_AFTER_MS = 60_000;

/** An event about a message whose text this process cannot read. */
export interface UnreadableEvent extends EventPlace {
  readonly reason: TextUnreadable;
}

/** Puts such events off for a while: the key for their texts may come, and the others must not wait for it. */
export async function putOff(
  { database, log, now }: Pick<DeliveryDependencies, 'database' | 'log' | 'now'>,
  endpointId: string,
  events: readonly UnreadableEvent[],
): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  log.warn({ endpointId, events: events.length }, `events of a webhook are put off: ${first.reason.message}`);
  await putOffEvents(database, endpointId, events, new Date(now() + AGAIN_AFTER_MS));
}
