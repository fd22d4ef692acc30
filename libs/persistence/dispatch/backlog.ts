import { tryAgain } from '#timing';
import type { Queryable } from '../database/database.js';
import { isPoison } from '../database/database-errors.js';

/** Orders that are not routed yet; every other scope of a backlog is a carrier's id. */
export const NOT_ROUTED = 0;

/** Within an account's backlog, single messages (`interactive`) go before batches (`bulk`). */
export type BacklogLane = 'interactive' | 'bulk';

/** Before it is tried again to put orders into the backlogs, while the database is away. */
const PUT_AGAIN_MS = 200;

/** A queued order that has left its account's backlog. */
export interface FedOrder {
  readonly id: string;
  readonly accountId: string;
  readonly lane: BacklogLane;
  readonly destination: string;
  readonly segments: number;
  /** The carrier that has segments of it already, or that it is bound to, as test messages are to the sandbox's. */
  readonly begunBy: number | null;
}

export interface BacklogRequest {
  /** Or `NOT_ROUTED`. */
  readonly carrierId: number;
  readonly segmentsMax: number;
  /** Segments of one account in its turn. */
  readonly quantum: number;
  /** After this time the reconciler puts an order back that nobody has claimed. */
  readonly dueAfterSeconds: number;
  /** Messages in flight of an account that has no bound of its own; undefined: no bound. */
  readonly inFlightMax: number | undefined;
  /** From anywhere in the backlog of an account, because what stands first there has to stay. */
  readonly isAnywhere?: boolean;
}

/** Takes the next orders out of the backlogs, round robin by account. Empty: no account waits, or all are at a cap. */
export function takeFromBacklog(database: Queryable, request: BacklogRequest): Promise<FedOrder[]> {
  return database.query<FedOrder>(
    `select id, account_id as "accountId", case lane when 0 then 'interactive' else 'bulk' end as lane, destination,
            segments, begun_by as "begunBy"
       from take_from_backlog($1, $2, $3, make_interval(secs => $4), $5, $6)`,
    [
      request.carrierId,
      request.segmentsMax,
      request.quantum,
      request.dueAfterSeconds,
      request.inFlightMax ?? null,
      request.isAnywhere ?? false,
    ],
  );
}

/** Puts queued orders, of whichever accounts, into their backlogs. */
export async function putInBacklog(
  database: Queryable,
  ids: readonly string[],
  carrierId: number,
  lane: BacklogLane,
): Promise<void> {
  if (ids.length === 0) return;
  const laneNumber = lane === 'bulk' ? 1 : 0;
  await database.query('select put_in_backlog($1::uuid[], $2, $3::smallint)', [ids, carrierId, laneNumber]);
}

/**
 * The same, tried until the database takes them: after a lost connection they would wait for their deadline. To put
 * them there twice does no harm.
 *
 * @param deadlineSeconds after which they come back by themselves
 * @param mayTryAgain false ends it: the process stops
 */
export function putInBacklogAtLast(
  database: Queryable,
  orders: { readonly ids: readonly string[]; readonly carrierId: number; readonly lane: BacklogLane },
  deadlineSeconds: number,
  mayTryAgain: () => boolean,
): Promise<void> {
  return tryAgain(
    () => putInBacklog(database, orders.ids, orders.carrierId, orders.lane),
    (fault) => mayTryAgain() && !isPoison(fault),
    { giveUpAfterMs: deadlineSeconds * 1_000, waitMs: PUT_AGAIN_MS },
  );
}

export interface WaitingScope {
  /** Or `NOT_ROUTED`. */
  readonly carrierId: number;
  /** Counted up to 40. */
  readonly accounts: number;
}

/** The scopes in which accounts wait. */
export function waitingScopes(database: Queryable): Promise<WaitingScope[]> {
  return database.query<WaitingScope>(
    `select s.id as "carrierId", n.accounts
       from (select 0 as id union all select carrier_id from carrier) s
      cross join lateral (select count(*)::integer as accounts from (
              select from dispatch_turn t where t.carrier_id = s.id limit 40) w) n
      where n.accounts > 0 order by s.id`,
  );
}

export interface WaitingBacklog {
  readonly carrierId: number;
  readonly accounts: number;
  /** What the rows point at; some of it may be over already. */
  readonly messages: number;
}

/** How many accounts have a backlog, and how much is in it, by scope. */
export function backlogDepths(database: Queryable): Promise<WaitingBacklog[]> {
  return database.query<WaitingBacklog>(
    `select carrier_id as "carrierId", count(distinct account_id)::integer as accounts,
            sum(coalesce(cardinality(sequences), last_sequence - first_sequence + 1))::float8 as messages
       from dispatch_backlog group by carrier_id order by carrier_id`,
  );
}
