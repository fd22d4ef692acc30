import type { Queryable } from '../database/database.js';
import { SERVER_START } from './lease-endpoints.js';

/** What a look for new events has found (`look-for-events.sql`). */
export interface EventLook {
  /** Events of transactions below this one can be read. */
  readonly oldest: bigint;
  /** No transaction from this one on has begun. */
  readonly next: bigint;
  /** Events of such transactions have no lower id. */
  readonly batchId: bigint;
  /** `SERVER_START` */
  readonly server: string;
  /** Of what could not be read at the look before. */
  readonly accountIds: readonly string[];
}

/**
 * Looks for the accounts with new events.
 *
 * @param xid `oldest` of the look before
 * @param batchId that no new event is below; undefined: the look tells of no account
 */
export async function lookForEvents(database: Queryable, xid: bigint, batchId: bigint | undefined): Promise<EventLook> {
  const [row] = await database.query<
    Record<'oldest' | 'next' | 'batch_id' | 'server', string> & { accounts: string[] }
  >(`select oldest, next, batch_id, accounts, ${SERVER_START} as server from look_for_events($1, $2)`, [
    String(xid),
    batchId === undefined ? null : String(batchId),
  ]);
  if (row === undefined) throw new Error('the database tells no transaction');
  const { oldest, next, batch_id, accounts, server } = row;
  return { oldest: BigInt(oldest), next: BigInt(next), batchId: BigInt(batch_id), accountIds: accounts, server };
}

/** Which of the endpoints have events that are to be sent again now, or a replay. */
export async function endpointsWithRepeats(
  database: Queryable,
  endpointIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (endpointIds.length === 0) return new Set();
  const rows = await database.query<{ endpoint_id: string }>(
    `select w.endpoint_id from unnest($1::text[]) as w(endpoint_id)
      where exists (select from webhook_retry r where r.endpoint_id = w.endpoint_id and r.due_at <= $2)
         or exists (select from webhook_replay y where y.endpoint_id = w.endpoint_id)`,
    [endpointIds, now],
  );
  return new Set(rows.map((row) => row.endpoint_id));
}

/** The last batch that was read for an endpoint. */
export interface LastRead {
  readonly endpointId: string;
  readonly batchId: string;
}

/** The endpoints whose last batch the database does not have. */
export async function endpointsWithoutBatch(database: Queryable, read: readonly LastRead[]): Promise<string[]> {
  if (read.length === 0) return [];
  const rows = await database.query<{ endpoint_id: string }>(
    `select w.endpoint_id from unnest($1::text[], $2::bigint[]) as w(endpoint_id, batch_id)
      where not ${hasBatch('w.batch_id')}`,
    [read.map(({ endpointId }) => endpointId), read.map(({ batchId }) => batchId)],
  );
  return rows.map((row) => row.endpoint_id);
}

/**
 * Whether the database has a batch. Then it has all that comes before it, and gives out no number of a transaction
 * before it again.
 */
export function hasBatch(batchId: string): string {
  return `exists (select from event_batch h where h.slot = event_slot(${batchId}) and h.batch_id = ${batchId})`;
}
