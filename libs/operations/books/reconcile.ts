import type { Micros } from '#billing';
import { type MessageIdFormat, receiptMessageId } from '#carrier';
import {
  addCdrLines,
  type CdrDifference,
  compareReconciliation,
  type Database,
  listDifferences,
  OperatorError,
  openReconciliation,
  type ReconciledKind,
  removeReconciliation,
  startReconciliation,
} from '#persistence';
import { checkPeriod, microsOf, momentOf, PAGE_ITEMS, type Page, type Paging } from '../wire.js';

/** A million lines beside ten million messages. */
export const RECONCILE_TIMEOUT_MS = 600_000;
/** Lines that are added at once. */
export const CDR_LINES_MAX = 5_000;
/** A message so near to the beginning or the end of a period may stand in the file of another one. */
const EDGE_SECONDS = 300;

interface OfReconciliation {
  readonly reconciliationId: string;
}

export interface ReconciliationWishes {
  readonly carrier: string;
  /** Of the carrier's charges. */
  readonly currency?: string | undefined;
  /** What a segment ought to cost everywhere; else as the carrier's routes say. */
  readonly unitCost?: string | undefined;
  /** By how much the charge for a segment may differ. */
  readonly tolerance?: string | undefined;
  /** The period of the file; else from its first to its last time. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly edgeSeconds?: number | undefined;
}

/**
 * Begins to compare a carrier's records with the messages that it took.
 *
 * @throws OperatorError when an amount is below 0, or the period ends before it begins: nothing could be missing then
 */
export async function reconcile(database: Database, wanted: ReconciliationWishes): Promise<OfReconciliation> {
  const { carrier, currency, unitCost, tolerance = '0', from, to, edgeSeconds = EDGE_SECONDS } = wanted;
  checkPeriod(from, to);
  for (const [what, amount] of Object.entries({ 'unit cost': unitCost, tolerance })) {
    if (amount !== undefined && microsOf(amount) < 0n) throw new OperatorError(`the ${what} is 0 or above`);
  }
  const reconciliationId = await startReconciliation(database, {
    carrier,
    currency,
    unitCost: unitCost === undefined ? undefined : microsOf(unitCost),
    tolerance: microsOf(tolerance),
    from: momentOf(from),
    to: momentOf(to),
    edgeSeconds,
  });
  return { reconciliationId };
}

/** Lines of the carrier's file that follow each other, as columns: a line has the same place in each. */
export interface CdrColumns extends OfReconciliation {
  /** Their numbers in the file. */
  readonly lines: readonly number[];
  /** As the carrier writes them. */
  readonly ids: readonly string[];
  /** How its records write ids, compared with its answers to submits. */
  readonly idFormat?: MessageIdFormat | undefined;
  /** Segments; left out: one each. */
  readonly parts?: readonly number[] | undefined;
  readonly costs?: readonly string[] | undefined;
  readonly times?: readonly string[] | undefined;
}

/** Lines that were added before are not added again. */
export async function reconcileAdd(database: Database, columns: CdrColumns): Promise<{ readonly lines: number }> {
  const { reconciliationId, ids, idFormat = 'as-is', parts, costs, times } = columns;
  if ([columns.lines, parts, costs, times].some((column) => column !== undefined && column.length !== ids.length)) {
    throw new OperatorError('every column needs a value for each line');
  }
  const { protocol } = await openReconciliation(database, reconciliationId);
  // Ids of HTTP carriers are stored as they are.
  const storedId = (id: string) => (protocol === 'http' ? id.trim() : receiptMessageId(id, idFormat));
  const lines = columns.lines.map((line, n) => {
    const [id = '', cost, at] = [ids[n], costs?.[n], times?.[n]];
    return {
      line,
      carrierMessageId: storedId(id),
      parts: parts?.[n] ?? 1,
      cost: cost === undefined ? undefined : microsOf(cost),
      at: at === undefined ? undefined : new Date(at),
    };
  });
  await addCdrLines(database, reconciliationId, lines);
  return { lines: lines.length };
}

export interface ReconciliationAnswer extends OfReconciliation {
  readonly from: Date | null;
  readonly to: Date | null;
  /** True: nothing differs. */
  readonly agrees: boolean;
  readonly lines: number;
  readonly differences: number;
  readonly kinds: readonly ReconciledKind[];
  /** What clients were charged for what was compared. */
  readonly billed: readonly { readonly currency: string; readonly amount: Micros }[];
  readonly sentSegments: number;
  readonly chargedSegments: number;
  readonly expectedCost: Micros;
  readonly chargedCost: Micros;
  /** Ids of ours whose cost is not known, so that only their segments were compared. */
  readonly withoutCost: number;
}

/** Compares what was added; asked again, the answer is the same. */
export async function reconcileCompare(
  database: Database,
  { reconciliationId }: OfReconciliation,
): Promise<ReconciliationAnswer> {
  const { from, to, kinds, billed, withoutCost } = await compareReconciliation(database, reconciliationId);
  const compared = kinds.filter(({ kind }) => kind !== 'edge');
  const differing = compared.filter(({ kind }) => kind !== 'equal');
  const sum = (of: readonly ReconciledKind[], field: 'ids' | 'lines' | 'sentSegments' | 'chargedSegments') =>
    of.reduce((total, one) => total + one[field], 0);
  const micros = (field: 'expectedCost' | 'chargedCost') => compared.reduce((total, one) => total + one[field], 0n);
  const differences = sum(differing, 'ids');
  return {
    reconciliationId,
    from: from ?? null,
    to: to ?? null,
    agrees: differences === 0,
    lines: sum(compared, 'lines'),
    differences,
    kinds,
    billed,
    sentSegments: sum(compared, 'sentSegments'),
    chargedSegments: sum(compared, 'chargedSegments'),
    expectedCost: micros('expectedCost'),
    chargedCost: micros('chargedCost'),
    withoutCost,
  };
}

/** What differs, by the lines of the file; what the file does not have comes last. */
export async function reconcileDifferences(
  database: Database,
  { reconciliationId, limit = PAGE_ITEMS, cursor }: OfReconciliation & Paging,
): Promise<Page<CdrDifference>> {
  const found = await listDifferences(database, reconciliationId, limit + 1, Number(cursor ?? 0));
  const data = found.slice(0, limit);
  return { data, next: found.length > limit ? String(data.at(-1)?.number) : null };
}

/** Forgets a comparison with its differences. */
export async function reconcileRemove(database: Database, { reconciliationId }: OfReconciliation): Promise<void> {
  await removeReconciliation(database, reconciliationId);
}
