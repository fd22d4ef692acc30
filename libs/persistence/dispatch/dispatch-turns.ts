import type { Queryable } from '../database/database.js';

/** The scope of orders that may go to any carrier, or are not routed yet; every other scope is a carrier's id. */
export const ANY_CARRIER = 0;

/** Within an account's backlog: what came alone goes before what came in batches. */
export type BacklogLane = 'single' | 'batch';

const LANES: readonly BacklogLane[] = ['single', 'batch'];

/** Orders that a worker has taken from an account's backlog; they belong to it until it finishes them or gives them back. */
export interface TurnPiece {
  readonly backlogId: string;
  readonly accountId: string;
  readonly lane: BacklogLane;
  readonly ids: readonly string[];
}

export interface TurnWish {
  readonly carrierId: number;
  readonly workerId: string;
  /** Of one turn. */
  readonly segmentsMax: number;
  /** Turns at a time, of as many accounts or of fewer that wait. */
  readonly turns: number;
  /** Accounts that are not to have a turn here now. */
  readonly except: readonly string[];
  /** Pieces of earlier turns that are over. */
  readonly done: readonly string[];
}

/** The next turns of a scope: of the accounts that have waited longest. Empty: nobody waits. */
export async function takeTurn(database: Queryable, wish: TurnWish): Promise<TurnPiece[]> {
  const rows = await database.query<{ backlog_id: string; account_id: string; lane: number; ids: string[] }>(
    'select * from take_turn($1, $2, $3, $4, $5::bigint[], $6::bigint[])',
    [wish.carrierId, wish.workerId, wish.segmentsMax, wish.turns, wish.except, wish.done],
  );
  return rows.map((row) => ({
    backlogId: row.backlog_id,
    accountId: row.account_id,
    lane: LANES[row.lane] ?? 'batch',
    ids: row.ids,
  }));
}

/** Ends turns: their orders are claimed, or somebody else's. */
export async function finishTurns(database: Queryable, workerId: string, done: readonly string[]): Promise<void> {
  await database.query('select finish_turns($1, $2::bigint[])', [workerId, done]);
}

/** Lets somebody else have the turns that this worker cannot go on with. */
export async function giveBackTurns(
  database: Queryable,
  workerId: string,
  backlogIds: readonly string[],
): Promise<void> {
  await database.query('select give_back_turns($1, $2::bigint[])', [workerId, backlogIds]);
}

/** Puts queued orders, of whichever accounts, into their backlogs. */
export async function putInBacklog(
  database: Queryable,
  ids: readonly string[],
  carrierId: number,
  lane: BacklogLane,
): Promise<void> {
  await database.query('select put_in_backlog($1::uuid[], $2, $3::smallint)', [ids, carrierId, LANES.indexOf(lane)]);
}

/** The place of an account in the ring of a scope. */
export interface TurnPlace {
  readonly account: string;
  readonly carrierId: number;
}

/** Which scopes somebody waits in for a turn, and which of the places are empty. */
export async function waitingTurns(
  database: Queryable,
  places: readonly TurnPlace[],
): Promise<{ readonly carrierIds: readonly number[]; readonly empty: readonly TurnPlace[] }> {
  const [row] = await database.query<{ carrier_ids: number[]; is_empty: boolean[] }>(
    `select array(select s.id from (select 0 as id union all select carrier_id from carrier) s
                   where exists (select from dispatch_turn t where t.carrier_id = s.id)) as carrier_ids,
            array(select not exists (select from dispatch_turn t
                                      where t.account_id = p.account_id and t.carrier_id = p.carrier_id)
                    from unnest($1::bigint[], $2::integer[]) with ordinality as p(account_id, carrier_id, n)
                   order by p.n) as is_empty`,
    [places.map(({ account }) => account), places.map(({ carrierId }) => carrierId)],
  );
  return { carrierIds: row?.carrier_ids ?? [], empty: places.filter((_, index) => row?.is_empty[index] === true) };
}

/** Frees what dead workers had taken, and mends the ring should an account be missing. */
export async function tendBacklogs(database: Queryable): Promise<void> {
  await database.query('select tend_backlogs()');
}

/** Accounts that may have fewer or more messages in flight than the setting says. */
export async function inFlightCaps(database: Queryable): Promise<Map<string, number>> {
  const rows = await database.query<{ account_id: string; max_in_flight: number }>(
    'select account_id, max_in_flight from account where max_in_flight is not null',
  );
  return new Map(rows.map((row) => [row.account_id, row.max_in_flight]));
}

export interface WaitingBacklog {
  readonly carrierId: number;
  readonly accounts: number;
  /** What the rows point at; some of it may be over already. */
  readonly messages: number;
}

/** How many accounts wait for turns, and how much of theirs, by scope. */
export async function backlogDepths(database: Queryable): Promise<WaitingBacklog[]> {
  const rows = await database.query<{ carrier_id: number; accounts: number; messages: number }>(
    `select carrier_id, count(distinct account_id)::integer as accounts,
            sum(coalesce(cardinality(sequences), last_sequence - first_sequence + 1))::float8 as messages
       from dispatch_backlog group by carrier_id order by carrier_id`,
  );
  return rows.map((row) => ({ carrierId: row.carrier_id, accounts: row.accounts, messages: row.messages }));
}
