import type { MessageState } from './pdu-fields.js';
import { type PlannedReceipt, receipt, type Treatment } from './treatment.js';

/**
 * The state to which a message's receipts lead: delivered stays delivered, whatever other receipts say; the value shows
 * whether others said something else.
 */
export type ReceiptTruth = 'delivered' | 'delivered-contradicted' | 'undelivered' | 'unsettled';

/** How far receipts of one message may overtake those of others. */
const REORDERED_MS = 2_000;
const RESPONSE_AFTER_RECEIPT_MS = 250;
const ODD_FORM_SHARE = 0.3;
const FAILURES = ['UNDELIV', 'EXPIRED', 'DELETED', 'REJECTD'] as const;

type Draw = (random: () => number, lateMs: number) => Partial<Treatment>;

const early = (...receipts: PlannedReceipt[]): Partial<Treatment> => ({
  isReceiptFirst: true,
  extraLatencyMs: RESPONSE_AFTER_RECEIPT_MS,
  receipts,
});
const failure = (random: () => number): MessageState => FAILURES[Math.floor(random() * FAILURES.length)] ?? 'UNDELIV';
const shuffled = (random: () => number): number => Math.floor(random() * REORDERED_MS);
const garbage: PlannedReceipt = { ...receipt('DELIVRD'), content: 'garbage' };
const foreign: PlannedReceipt = { ...receipt('DELIVRD'), content: 'unknown-id' };

/** Messages in a hundred, and the receipts that each gets. */
const MIX: readonly (readonly [number, Draw])[] = [
  [38, (random) => ({ receipts: [receipt('DELIVRD', shuffled(random))] })],
  [10, () => early(receipt('DELIVRD'))],
  [8, (random) => ({ receipts: [0, 0, 0].map(() => receipt('DELIVRD', shuffled(random))) })],
  [2, () => early(receipt('DELIVRD'), receipt('DELIVRD'), receipt('DELIVRD'))],
  [8, (random) => ({ receipts: [receipt(failure(random), shuffled(random))] })],
  [2, (random) => early(receipt(failure(random)))],
  [5, (random) => ({ receipts: [receipt('ENROUTE'), receipt('DELIVRD', shuffled(random))] })],
  [2, (random) => ({ receipts: [receipt('UNKNOWN'), receipt('ACCEPTD'), receipt(failure(random), shuffled(random))] })],
  [4, (random) => ({ receipts: [receipt('DELIVRD', shuffled(random)), receipt(failure(random), shuffled(random))] })],
  [3, (random) => ({ receipts: [receipt(failure(random)), receipt('DELIVRD', REORDERED_MS)] })],
  [2, (random) => early(receipt(failure(random)), receipt('DELIVRD'))],
  [3, (_random, lateMs) => ({ receipts: [receipt('DELIVRD', lateMs)] })],
  [1, (random, lateMs) => ({ receipts: [receipt(failure(random), lateMs)] })],
  [1, (random, lateMs) => ({ receipts: [receipt(failure(random)), receipt('DELIVRD', lateMs)] })],
  [2, (random) => ({ receipts: [garbage, receipt('DELIVRD', shuffled(random))] })],
  [3, (random) => ({ receipts: [foreign, receipt('DELIVRD', shuffled(random))] })],
  [1, () => ({ receipts: [foreign] })],
  [1, () => ({ receipts: [garbage] })],
  [1, () => ({ receipts: [receipt('ENROUTE')] })],
  [1, () => ({ receipts: [receipt('UNKNOWN')] })],
  [2, () => ({ receipts: [] })],
];

/** Draws the receipts of one message: some early, late, double, contradictory, unreadable, foreign, or never. */
export function drawReceipts(random: () => number, lateMs: number): Partial<Treatment> {
  const drawn = pick(random() * 100)(random, lateMs);
  const receipts = drawn.receipts?.map((one) => ({ ...one, hasOddForm: random() < ODD_FORM_SHARE })) ?? [];
  return { ...drawn, receipts };
}

function pick(place: number): Draw {
  let end = 0;
  for (const [share, draw] of MIX) {
    end += share;
    if (place < end) return draw;
  }
  return () => ({ receipts: [] });
}

/** The truth after all receipts have come. */
export function truthOf(receipts: readonly PlannedReceipt[]): ReceiptTruth {
  const told = receipts.filter(({ content }) => content === 'receipt').map(({ state }) => state);
  const isFailed = FAILURES.some((state) => told.includes(state));
  if (told.includes('DELIVRD')) return isFailed ? 'delivered-contradicted' : 'delivered';
  return isFailed ? 'undelivered' : 'unsettled';
}
