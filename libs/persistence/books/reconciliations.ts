import { randomInt } from 'node:crypto';
import type { Micros } from '#billing';
import type { Database, Queryable } from '../database/database.js';
import { OperatorError } from '../operators/operator-error.js';
import { mayBeDropped } from '../retention/retention.js';
import { carrierIdOf } from './carrier-costs.js';

export interface ReconciliationSettings {
  /** Its name. */
  readonly carrier: string;
  /** Of the carrier's charges. */
  readonly currency: string | undefined;
  /** What a segment ought to cost; undefined: as the routes of the carrier say. */
  readonly unitCost: Micros | undefined;
  /** For each segment. */
  readonly tolerance: Micros;
  /** The period of the file; undefined: from its first to its last time. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly edgeSeconds: number;
}

/** A line of the carrier's file. */
export interface CdrLine {
  /** In the file, from 1. */
  readonly line: number;
  /** As this service stores the ids of the carrier. */
  readonly carrierMessageId: string;
  readonly parts: number;
  readonly cost: Micros | undefined;
  readonly at: Date | undefined;
}

export const DIFFERENCE_KINDS = ['missing', 'extra', 'doubled', 'segments', 'cost', 'refunded'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** What the ids of a kind add up to; `edge`: ours, so near to the end of the period that another file may have them. */
export interface ReconciledKind {
  readonly kind: DifferenceKind | 'equal' | 'edge';
  readonly ids: number;
  readonly lines: number;
  readonly sentSegments: number;
  readonly chargedSegments: number;
  readonly expectedCost: Micros;
  readonly chargedCost: Micros;
}

export interface Reconciled {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly kinds: readonly ReconciledKind[];
  /** What clients were charged for what was compared. */
  readonly billed: readonly { readonly currency: string; readonly amount: Micros }[];
  /** Ids of ours whose cost is not known, so that only their segments were compared. */
  readonly withoutCost: number;
}

/** One id of the carrier on which the two sides do not agree. */
export interface CdrDifference {
  readonly number: number;
  readonly kind: DifferenceKind;
  readonly carrierMessageId: string;
  readonly messageId: string | null;
  readonly accountId: string | null;
  readonly destination: string | null;
  readonly sentAt: Date | null;
  readonly sentSegments: number | null;
  readonly billed: Micros | null;
  readonly billedCurrency: string | null;
  readonly expectedCost: Micros | null;
  readonly firstLine: number | null;
  readonly lines: number | null;
  readonly chargedSegments: number | null;
  readonly chargedCost: Micros | null;
}

const ID_CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Begins a comparison.
 *
 * @returns its id
 * @throws OperatorError when there is no such carrier, or retention may have dropped messages of the period
 */
export function startReconciliation(database: Database, wanted: ReconciliationSettings): Promise<string> {
  const { carrier, currency, unitCost, tolerance, from, to, edgeSeconds } = wanted;
  return database.transaction(async (transaction) => {
    const carrierId = await carrierIdOf(transaction, carrier);
    if (from !== undefined) await refuseDropped(transaction, from);
    const id = Array.from({ length: 16 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('');
    await transaction.query(
      `insert into reconciliation (reconciliation_id, carrier_id, currency, unit_cost, tolerance, from_at, to_at, edge_seconds)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, carrierId, currency ?? null, unitCost ?? null, tolerance, from ?? null, to ?? null, edgeSeconds],
    );
    return id;
  });
}

/**
 * A comparison that lines may be added to, and the protocol of its carrier.
 *
 * @throws OperatorError when there is none, or it was compared already
 */
export async function openReconciliation(
  database: Queryable,
  id: string,
  lock?: RowLock,
): Promise<{ readonly protocol: string }> {
  const { isCompared, protocol } = await findReconciliation(database, id, lock);
  if (isCompared) throw new OperatorError(`the reconciliation ${id} has been compared already`);
  return { protocol };
}

/**
 * Adds lines; a line that is there already stays.
 *
 * @throws OperatorError when there is no such comparison any more, or it was compared meanwhile
 */
export function addCdrLines(database: Database, id: string, lines: readonly CdrLine[]): Promise<void> {
  return database.transaction(async (transaction) => {
    await openReconciliation(transaction, id, 'for share of r');
    await transaction.query(
      `insert into cdr_line
       select $1, * from unnest($2::bigint[], $3::text[], $4::integer[], $5::bigint[], $6::timestamptz[])
       on conflict do nothing`,
      [
        id,
        lines.map(({ line }) => line),
        lines.map(({ carrierMessageId }) => carrierMessageId),
        lines.map(({ parts }) => parts),
        lines.map(({ cost }) => cost ?? null),
        lines.map(({ at }) => at ?? null),
      ],
    );
  });
}

/**
 * Compares the lines with what the carrier took. It is done once; asked again, the answer is the same.
 *
 * @throws OperatorError when there is no such comparison, or no period, or retention may have dropped messages of it
 */
export function compareReconciliation(database: Database, id: string): Promise<Reconciled> {
  return database.transaction(async (transaction) => {
    const { isCompared } = await findReconciliation(transaction, id, 'for update of r');
    if (!isCompared) await checkPeriod(transaction, id);
    const [row] = await transaction.query<{ summary: SummaryJson }>('select compare_reconciliation($1) as summary', [
      id,
    ]);
    if (row === undefined) throw new Error('nothing was compared');
    return reconciledOf(row.summary);
  });
}

/** @throws OperatorError when the period of a comparison is not known, is none, or has lost messages by retention */
async function checkPeriod(database: Queryable, id: string): Promise<void> {
  const [times] = await database.query<{ oldest: Date | null; newest: Date | null }>(
    `select coalesce(r.from_at, min(l.at)) as oldest, coalesce(r.to_at, max(l.at)) as newest
       from reconciliation r left join cdr_line l using (reconciliation_id)
      where r.reconciliation_id = $1 group by r.reconciliation_id`,
    [id],
  );
  const { oldest = null, newest = null } = times ?? {};
  if (oldest === null || newest === null) {
    throw new OperatorError('the period is not known: give its first and its last time, or a column with times');
  }
  // Nothing could be missing then.
  if (newest < oldest) throw new OperatorError('by the times of the file, the period would end before it begins');
  await refuseDropped(database, oldest);
}

/** The differences after a number, by the lines of the file; those that the file does not have come last. */
export async function listDifferences(
  database: Queryable,
  id: string,
  limit: number,
  after = 0,
): Promise<CdrDifference[]> {
  await findReconciliation(database, id);
  const rows = await database.query<DifferenceRow>(
    // The number stands with the message only, so that it is redacted there.
    `select d.*, o.destination from cdr_difference d left join message_order o on o.id = d.message_id
      where d.reconciliation_id = $1 and d.number > $2 order by d.number limit $3`,
    [id, after, limit],
  );
  return rows.map(differenceOf);
}

/** Forgets a comparison and its differences. */
export function removeReconciliation(database: Database, id: string): Promise<void> {
  return database.transaction(async (transaction) => {
    await findReconciliation(transaction, id, 'for update of r');
    for (const table of ['cdr_line', 'cdr_difference', 'reconciliation']) {
      await transaction.query(`delete from ${table} where reconciliation_id = $1`, [id]);
    }
  });
}

/** So that nobody compares or removes it meanwhile; the second one keeps out who adds lines as well. */
type RowLock = 'for share of r' | 'for update of r';

async function findReconciliation(
  database: Queryable,
  id: string,
  lock: RowLock | '' = '',
): Promise<{ readonly isCompared: boolean; readonly protocol: string }> {
  const [row] = await database.query<{ compared: boolean; protocol: string }>(
    `select r.compared_at is not null as compared, c.protocol
       from reconciliation r join carrier c using (carrier_id) where r.reconciliation_id = $1 ${lock}`,
    [id],
  );
  if (row === undefined) throw new OperatorError(`there is no reconciliation ${id}`, 'missing');
  return { isCompared: row.compared, protocol: row.protocol };
}

/** Messages that were dropped would look like charges for nothing. */
async function refuseDropped(database: Queryable, from: Date): Promise<void> {
  if (!(await mayBeDropped(database, from))) return;
  throw new OperatorError(
    `retention has dropped messages (\`smsctl retention show\`), so those from ${from.toISOString()} on cannot be compared`,
  );
}

interface SummaryJson {
  readonly from: string | null;
  readonly to: string | null;
  readonly kinds: readonly {
    readonly kind: ReconciledKind['kind'];
    readonly ids: number;
    readonly lines: number;
    readonly sent_segments: number;
    readonly charged_segments: number;
    readonly expected_cost: string;
    readonly charged_cost: string;
  }[];
  readonly billed: readonly { readonly currency: string; readonly amount: string }[];
  readonly withoutCost: number;
}

function reconciledOf({ from, to, kinds, billed, withoutCost }: SummaryJson): Reconciled {
  return {
    from: from === null ? undefined : new Date(from),
    to: to === null ? undefined : new Date(to),
    kinds: kinds.map((one) => ({
      kind: one.kind,
      ids: one.ids,
      lines: one.lines,
      sentSegments: one.sent_segments,
      chargedSegments: one.charged_segments,
      expectedCost: BigInt(one.expected_cost),
      chargedCost: BigInt(one.charged_cost),
    })),
    billed: billed.map(({ currency, amount }) => ({ currency, amount: BigInt(amount) })),
    withoutCost,
  };
}

interface DifferenceRow {
  readonly number: string;
  readonly kind: DifferenceKind;
  readonly carrier_message_id: string;
  readonly message_id: string | null;
  readonly account_id: string | null;
  readonly destination: string | null;
  readonly sent_at: Date | null;
  readonly sent_segments: number | null;
  readonly billed: string | null;
  readonly billed_currency: string | null;
  readonly expected_cost: string | null;
  readonly first_line: string | null;
  readonly lines: number | null;
  readonly charged_segments: number | null;
  readonly charged_cost: string | null;
}

function differenceOf(row: DifferenceRow): CdrDifference {
  return {
    number: Number(row.number),
    kind: row.kind,
    carrierMessageId: row.carrier_message_id,
    messageId: row.message_id,
    accountId: row.account_id,
    destination: row.destination,
    sentAt: row.sent_at,
    sentSegments: row.sent_segments,
    billed: microsOrNull(row.billed),
    billedCurrency: row.billed_currency,
    expectedCost: microsOrNull(row.expected_cost),
    firstLine: row.first_line === null ? null : Number(row.first_line),
    lines: row.lines,
    chargedSegments: row.charged_segments,
    chargedCost: microsOrNull(row.charged_cost),
  };
}

function microsOrNull(text: string | null): Micros | null {
  return text === null ? null : BigInt(text);
}
