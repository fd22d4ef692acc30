import {
  type EventBatch,
  type EventMessage,
  eventMessages,
  type InboundItem,
  inboundById,
  type Queryable,
  type TextUnreadable,
} from '#persistence';

/** The type of the events about messages from handsets. */
export const RECEIVED = 'message.received';

/** What events are about, by id: messages to handsets, and messages from them. */
export interface EventSubjects {
  readonly sent: ReadonlyMap<string, EventMessage>;
  readonly received: ReadonlyMap<string, InboundItem | TextUnreadable>;
}

/** What some batches are about. What retention has dropped is not there. */
export async function eventSubjects(
  database: Queryable,
  batches: readonly Pick<EventBatch, 'type' | 'messageIds'>[],
): Promise<EventSubjects> {
  const ids = (isReceived: boolean) => [
    ...new Set(batches.flatMap(({ type, messageIds }) => (isReceived === (type === RECEIVED) ? messageIds : []))),
  ];
  return { sent: await eventMessages(database, ids(false)), received: await inboundById(database, ids(true)) };
}
