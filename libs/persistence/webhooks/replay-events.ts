import { type KeyManager, lockKeys } from '../accounts/key-manager.js';
import { ownerOf } from '../accounts/sandbox.js';
import type { Database, Queryable } from '../database/database.js';
import { recordOperatorAction } from '../operators/operator-changes.js';
import { TEST_EVENT } from './event-types.js';
import { findEndpoint, type WebhookEndpoint } from './find-endpoints.js';
import { noSuchWebhook, WebhookRefused } from './webhook-refused.js';

const EVENT_ID = /^evt_([1-9]\d{0,18})_(0|[1-9]\d{0,5})$/;
/** Of a bigint. */
const BATCH_ID_MAX = 2n ** 63n - 1n;

/** A message of an `event_batch`, or the row itself. */
export interface EventPlace {
  readonly batchId: string;
  readonly index: number;
}

export interface ReplayRange {
  readonly from: Date;
  readonly until: Date;
}

/** `webhook-id`: the same for all attempts of an event. */
export function eventIdOf({ batchId, index }: EventPlace): string {
  return `evt_${batchId}_${index}`;
}

function parseEventId(eventId: string): EventPlace | undefined {
  const [, batchId, index] = EVENT_ID.exec(eventId) ?? [];
  return batchId === undefined || BigInt(batchId) > BATCH_ID_MAX ? undefined : { batchId, index: Number(index) };
}

/**
 * Sends a test event to one endpoint, also to one that is failing.
 *
 * @returns the id of the event
 * @throws WebhookRefused when the account has no such endpoint, or it is disabled
 */
export function sendTestEvent(database: Database, endpointId: string, manager: KeyManager): Promise<string> {
  return database.transaction(async (transaction) => {
    await lockEnabled(transaction, endpointId, manager);
    const [row] = await transaction.query<{ batch_id: string }>(
      `insert into event_batch (slot, batch_id, account_id, type, data)
       select event_slot(n.id), n.id, $1, $2, $3::jsonb from (select next_event_batch_id() as id offset 0) n
       returning batch_id`,
      [manager.accountId, TEST_EVENT, JSON.stringify({ webhookId: endpointId })],
    );
    const place = { batchId: row?.batch_id ?? '', index: 0 };
    await sendAgain(transaction, endpointId, place, 'test');
    return eventIdOf(place);
  });
}

/**
 * Sends one event of the last 14 days again.
 *
 * @throws WebhookRefused when there is no such endpoint or event, or the endpoint is disabled
 */
export async function replayEvent(
  database: Database,
  endpointId: string,
  eventId: string,
  manager?: KeyManager,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const { accountId } = await lockEnabled(transaction, endpointId, manager);
    const place = parseEventId(eventId);
    const [found] = place
      ? await transaction.query(
          `select from event_batch where slot = event_slot($1) and batch_id = $1 and account_id = $2
              and $3 < coalesce(cardinality(message_ids), 1)`,
          [place.batchId, accountId, place.index],
        )
      : [];
    if (place === undefined || found === undefined) {
      throw new WebhookRefused('no_such_event', `account ${accountId} has no event ${eventId}`);
    }
    await sendAgain(transaction, endpointId, place, 'replay');
    if (manager === undefined) await recordReplay(transaction, endpointId, accountId, { event: eventId });
  });
}

/**
 * Sends the events of a time again, those of the types that the endpoint wants, beside the new ones.
 *
 * @throws WebhookRefused when there is no such endpoint, or it is disabled
 */
export async function replayRange(
  database: Database,
  endpointId: string,
  { from, until }: ReplayRange,
  manager?: KeyManager,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const { accountId } = await lockEnabled(transaction, endpointId, manager);
    await transaction.query(
      // No id has a time some centuries ahead, and nothing that is yet to happen has to be sent again.
      `insert into webhook_replay (endpoint_id, from_batch, until_batch)
       values ($1, event_batch_id_at($2), event_batch_id_at(least($3::timestamptz, clock_timestamp())))`,
      [endpointId, from, until],
    );
    if (manager === undefined) await recordReplay(transaction, endpointId, accountId, { from, until });
  });
}

/** An operator's replay changes no table of operators, so it is recorded here. */
async function recordReplay(
  transaction: Queryable,
  endpointId: string,
  accountId: string,
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  const change = { subject: 'webhook', subjectId: endpointId, accountId: ownerOf(accountId), action: 'replay', after };
  await recordOperatorAction(transaction, change);
}

async function sendAgain(
  transaction: Queryable,
  endpointId: string,
  { batchId, index }: EventPlace,
  kind: 'test' | 'replay',
): Promise<void> {
  await transaction.query(
    `insert into webhook_retry (endpoint_id, batch_id, index, kind) values ($1, $2, $3, $4)
     on conflict (endpoint_id, batch_id, index) do update set due_at = now(), kind = excluded.kind`,
    [endpointId, batchId, index, kind],
  );
}

/** Without a manager, an operator asks, and the endpoint may be of any account. */
async function lockEnabled(
  transaction: Queryable,
  endpointId: string,
  manager: KeyManager | undefined,
): Promise<WebhookEndpoint> {
  if (manager !== undefined) await lockKeys(transaction, manager.accountId, manager);
  const endpoint = await findEndpoint(transaction, endpointId, manager?.accountId);
  if (endpoint === undefined) throw noSuchWebhook(endpointId);
  if (endpoint.disabledAt !== undefined) {
    throw new WebhookRefused('webhook_disabled', `webhook ${endpointId} is disabled: enable it first`);
  }
  return endpoint;
}
