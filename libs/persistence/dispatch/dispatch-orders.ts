import type { OrderState } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';
import { learnTextKeys, type TextKeys, TextUnreadable } from '../texts/text-keys.js';

// The statements of dispatch, in the order in which an order meets them: a worker claims it, records the intent to
// submit further segments of it, renews its lease, and records what the carrier answered.

/** An order that this worker owns until its lease ends. */
export interface ClaimedOrder {
  readonly id: string;
  /** Fences what an earlier owner still writes. */
  readonly epoch: number;
  readonly destination: string;
  readonly message: string;
  /** Why this process cannot read the text; undefined: it can. */
  readonly unreadable: TextUnreadable | undefined;
  readonly extended: boolean;
  readonly segments: number;
  readonly concatenationReference: number | undefined;
  /** Segments (from 1) that no carrier has yet; the first one is already recorded as submitting. */
  readonly openPositions: readonly number[];
  /** The account's own sender; undefined: the carrier's, or the service's. */
  readonly sender: string | undefined;
  /** It goes in one piece, which the carrier cuts itself. */
  readonly whole: boolean;
  /** How it has to be written, where that is not how the claiming worker's carrier writes now. */
  readonly format: string | undefined;
  /** What is left of the validity that its client asked for; undefined: the carrier decides. */
  readonly validitySeconds: number | undefined;
  /** For how long it could have been sent, until its first claim; undefined of a later claim. */
  readonly waitedSeconds: number | undefined;
}

export interface Claims {
  readonly claimed: readonly ClaimedOrder[];
  /** Queued orders of which another carrier has segments already: they have to go on with that one. */
  readonly elsewhere: readonly { readonly id: string; readonly carrierId: number }[];
}

interface ClaimedRow {
  id: string;
  epoch: number;
  destination: string;
  message: string;
  extended: boolean;
  segments: number;
  concatenation_reference: number | null;
  open_positions: number[] | null;
  sender: string | null;
  whole: boolean;
  format: string | null;
  validity_seconds: number | null;
  belongs_to: number | null;
  waited_seconds: number | null;
}

/** Takes queued orders for a worker; what is not returned belongs to somebody else or is done. */
export async function claimOrders(
  database: Queryable,
  ids: readonly string[],
  owner: {
    readonly workerId: string;
    readonly carrierId: number;
    readonly leaseSeconds: number;
    /** The carrier takes a message whole: its first segment stands for all. */
    readonly whole?: boolean;
    /** How the carrier writes now; the claim stores it. Undefined: it is not said. */
    readonly format?: string | undefined;
  },
): Promise<Claims> {
  const rows = await database.query<ClaimedRow>('select * from claim_orders($1::uuid[], $2, $3, $4::integer, $5, $6)', [
    plainArray(ids),
    owner.workerId,
    owner.carrierId,
    owner.leaseSeconds,
    owner.whole ?? false,
    owner.format ?? null,
  ]);
  // A row of an order that goes elsewhere has no text.
  await learnTextKeys(
    database,
    rows.flatMap(({ message }) => message ?? []),
  );
  const claimed: ClaimedOrder[] = [];
  const elsewhere: { id: string; carrierId: number }[] = [];
  for (const row of rows) {
    if (row.belongs_to === null) claimed.push(claimedOrder(row, database.texts));
    else elsewhere.push({ id: row.id, carrierId: row.belongs_to });
  }
  return { claimed, elsewhere };
}

function claimedOrder(row: ClaimedRow, texts: TextKeys): ClaimedOrder {
  const { message, unreadable } = openedText(row, texts);
  return {
    id: row.id,
    epoch: row.epoch,
    destination: row.destination,
    message,
    unreadable,
    extended: row.extended,
    segments: row.segments,
    concatenationReference: row.concatenation_reference ?? undefined,
    openPositions: row.open_positions ?? [],
    sender: row.sender ?? undefined,
    whole: row.whole,
    format: row.format ?? undefined,
    validitySeconds: row.validity_seconds ?? undefined,
    waitedSeconds: row.waited_seconds ?? undefined,
  };
}

/** One text that cannot be read keeps no other message from being sent. */
function openedText(
  { id, message }: ClaimedRow,
  texts: TextKeys,
): { readonly message: string; readonly unreadable: TextUnreadable | undefined } {
  try {
    return { message: texts.open(message, `message:${id}`), unreadable: undefined };
  } catch (error) {
    if (!(error instanceof TextUnreadable)) throw error;
    return { message: '', unreadable: error };
  }
}

export interface Intent {
  readonly id: string;
  readonly position: number;
  readonly epoch: number;
  readonly carrierId: number;
}

/** Records segments as submitting before they are written; one that comes back false must not be submitted. */
export async function recordIntents(database: Queryable, intents: readonly Intent[]): Promise<boolean[]> {
  const rows = await database.query<{ id: string; position: number }>(
    'select * from record_intents($1::uuid[], $2::smallint[], $3::integer[], $4::integer[])',
    [
      plainArray(intents.map((intent) => intent.id)),
      plainArray(intents.map((intent) => intent.position)),
      plainArray(intents.map((intent) => intent.epoch)),
      plainArray(intents.map((intent) => intent.carrierId)),
    ],
  );
  const recorded = new Set(rows.map((row) => `${row.id}/${row.position}`));
  return intents.map((intent) => recorded.has(`${intent.id}/${intent.position}`));
}

/** The 8-bit concatenation references of long messages, by order id. */
export async function assignConcatenationReferences(
  database: Queryable,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await database.query<{ id: string; concatenation_reference: number }>(
    'select * from assign_concatenation_references($1::uuid[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.concatenation_reference]));
}

/** Extends the leases of orders in flight; returns those that the worker still owns. Locks them in the order of ids. */
export async function renewLeases(
  database: Queryable,
  workerId: string,
  ids: readonly string[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const rows = await database.query<{ id: string }>(
    `with held as (
       select id from message_order
        where id = any($1::uuid[]) and owner = $2 and state = 'sending' and lease_until > now() order by id for update
     )
     update message_order o set lease_until = now() + make_interval(secs => $3)
       from held h where o.id = h.id returning o.id`,
    [ids, workerId, leaseSeconds],
  );
  return new Set(rows.map((row) => row.id));
}

export interface SubmitResult {
  readonly id: string;
  readonly position: number;
  readonly epoch: number;
  /** `pending`: the carrier did not take it and it may be tried again. */
  readonly kind: 'accepted' | 'refused' | 'pending' | 'in_doubt';
  /** The carrier's message id where accepted, else its error code. */
  readonly answer: string;
  /** No further segment of this order will be submitted by this owner for now. */
  readonly done: boolean;
  readonly retryAfterMs: number;
}

export interface OrderMove {
  readonly id: string;
  readonly state: OrderState;
}

/**
 * Records what the carrier answered, and moves the orders.
 *
 * @returns the orders whose row changed
 * @throws after 50 ms when another transaction holds the balance of one of the accounts; then nothing is recorded
 */
export function recordSubmits(
  database: Queryable,
  results: readonly SubmitResult[],
  inDoubtWaitSeconds: number,
): Promise<OrderMove[]> {
  return database.query<OrderMove>(
    `select * from record_submits($1::uuid[], $2::smallint[], $3::integer[], $4::text[], $5::text[], $6::boolean[],
                                  $7::integer[], make_interval(secs => $8))`,
    [
      plainArray(results.map((result) => result.id)),
      plainArray(results.map((result) => result.position)),
      plainArray(results.map((result) => result.epoch)),
      plainArray(results.map((result) => result.kind)),
      results.map((result) => result.answer),
      plainArray(results.map((result) => result.done)),
      plainArray(results.map((result) => result.retryAfterMs)),
      inDoubtWaitSeconds,
    ],
  );
}

export interface FreeSubmits {
  readonly moves: readonly OrderMove[];
  /** Orders whose balance another transaction holds: nothing is recorded of them. */
  readonly held: ReadonlySet<string>;
}

/** In this time many accepts of the account come and go. */
const BALANCE_WAIT_MS = 1_000;

/**
 * The same, but passes over the orders whose balance another transaction holds.
 *
 * @param awaited an order whose balance it waits for first: one that many want is never free, but has a line
 * @throws after a second when that balance is still held
 */
export function recordFreeSubmits(
  database: Database,
  results: readonly SubmitResult[],
  inDoubtWaitSeconds: number,
  awaited?: string,
): Promise<FreeSubmits> {
  return database.transaction(async (transaction) => {
    if (awaited !== undefined) await transaction.query('select await_balance($1, $2)', [awaited, BALANCE_WAIT_MS]);
    const rows = await transaction.query<{ id: string }>('select id from lock_free_balances($1::uuid[]) as id', [
      plainArray(results.map(({ id }) => id)),
    ]);
    const free = new Set(rows.map(({ id }) => id));
    const recorded = results.filter(({ id }) => free.has(id));
    const moves = recorded.length > 0 ? await recordSubmits(transaction, recorded, inDoubtWaitSeconds) : [];
    return { moves, held: new Set(results.map(({ id }) => id).filter((id) => !free.has(id))) };
  });
}
