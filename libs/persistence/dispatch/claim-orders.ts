import type { Queryable } from '../database/database.js';
import { plainArray } from '../database/plain-array.js';

/** An order that this worker owns until its lease ends. */
export interface ClaimedOrder {
  readonly id: string;
  /** Fences what an earlier owner still writes. */
  readonly epoch: number;
  readonly destination: string;
  readonly message: string;
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
  belongs_to: number | null;
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
  const rows = await database.query<ClaimedRow>(
    'select * from claim_orders($1::uuid[], $2, $3, make_interval(secs => $4), $5, $6)',
    [plainArray(ids), owner.workerId, owner.carrierId, owner.leaseSeconds, owner.whole ?? false, owner.format ?? null],
  );
  const claimed: ClaimedOrder[] = [];
  const elsewhere: { id: string; carrierId: number }[] = [];
  for (const row of rows) {
    if (row.belongs_to === null) claimed.push(claimedOrder(row));
    else elsewhere.push({ id: row.id, carrierId: row.belongs_to });
  }
  return { claimed, elsewhere };
}

function claimedOrder(row: ClaimedRow): ClaimedOrder {
  return {
    id: row.id,
    epoch: row.epoch,
    destination: row.destination,
    message: row.message,
    extended: row.extended,
    segments: row.segments,
    concatenationReference: row.concatenation_reference ?? undefined,
    openPositions: row.open_positions ?? [],
    sender: row.sender ?? undefined,
    whole: row.whole,
    format: row.format ?? undefined,
  };
}
