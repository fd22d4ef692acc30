import { planSegments } from '#billing';
import type { SubmitOutcome, SubmitSlot } from '#carrier';
import { type ClaimedOrder, type SubmitResult, segmentReference, TextUnreadable } from '#persistence';
import type { DispatchJournal } from './dispatch-journal.js';
import { NOT_SENT_BACK_OFF_MS, nothingSubmitted, type Submit, submitInTurn } from './submit-in-turn.js';

const BACK_OFF_MIN_MS = 1_000;
const BACK_OFF_MAX_MS = 60_000;
/** How long a message that the carrier throttled waits for its next attempt; the adapter keeps the carrier's pace. */
const THROTTLED_BACK_OFF_MS = 1_000;

/** What came of a segment, and when it was handed to the carrier; undefined: the answer came after its deadline. */
export type OnOutcome = (outcome: SubmitOutcome, position: number, startMs?: number) => void;

/**
 * USE CASE: submits the open segments of a claimed order, exactly the ones that were billed, all on one bind, and
 * records what the carrier answered to each. The claim has recorded the first segment as submitting already. If the
 * claim says that the message goes whole, this segment is the only one and stands for all. The claim alone says how the
 * message is written, even if the carrier has other settings now.
 */
export async function dispatchOrder(
  order: ClaimedOrder,
  firstSlot: SubmitSlot,
  carrierId: number,
  journal: DispatchJournal,
  onOutcome: OnOutcome,
): Promise<void> {
  const [firstPosition, ...otherPositions] = order.openPositions;
  if (firstPosition === undefined) {
    firstSlot.release();
    await journal.record(nothingSubmitted(order, 'NOTHING_OPEN', 0));
    return;
  }
  let submit: Submit;
  try {
    submit = await prepare(order, journal, onOutcome);
  } catch (error) {
    firstSlot.release();
    const kind = error instanceof TextUnreadable ? 'temporary' : 'not-sent';
    await journal.record(resultOf(order, firstPosition, { kind, code: 'NOT_PREPARED' }, true));
    throw error;
  }
  if (otherPositions.length === 0) await journal.record(await submit(firstSlot, firstPosition));
  else await submitInTurn(order, firstSlot, carrierId, journal, submit);
}

/**
 * Prepares the submit of each segment. Only a long message without a reference needs the database for it.
 *
 * @throws TextUnreadable when this worker cannot read the text: the message waits for one that can
 */
async function prepare(order: ClaimedOrder, journal: DispatchJournal, onOutcome: OnOutcome): Promise<Submit> {
  const message = order.text();
  const { segments, encoding } = planSegments(message);
  const isOnly = order.openPositions.length === 1;
  const isCut = !order.whole && order.segments > 1;
  const reference = isCut
    ? (order.concatenationReference ?? (await journal.concatenationReference(order.id)))
    : undefined;
  return async (slot, position) => {
    const startMs = Date.now();
    const outcome = await slot.submit(
      {
        destination: order.destination,
        encoding,
        text: order.whole ? message : (segments[position - 1] ?? ''),
        sender: order.sender ?? undefined,
        isWhole: order.whole,
        format: order.format ?? undefined,
        validitySeconds: order.validitySeconds ?? undefined,
        userMessageReference: segmentReference(order.id, position),
        ...(reference !== undefined && { part: { reference, number: position, total: order.segments } }),
      },
      // The order is over for this worker by then; the answer counts as long as nobody has claimed it anew.
      (late) => {
        onOutcome(late, position);
        journal.record(resultOf(order, position, late, false)).catch(() => undefined);
      },
    );
    onOutcome(outcome, position, startMs);
    return resultOf(order, position, outcome, isOnly);
  };
}

function resultOf(order: ClaimedOrder, position: number, outcome: SubmitOutcome, done: boolean): SubmitResult {
  const { id, epoch } = order;
  const result = (kind: SubmitResult['kind'], answer: string, retryAfterMs = 0) =>
    ({ id, position, epoch, kind, answer, done, retryAfterMs }) satisfies SubmitResult;
  switch (outcome.kind) {
    case 'accepted':
      return result('accepted', outcome.carrierMessageId);
    case 'refused':
      return result('refused', outcome.code);
    case 'in-doubt':
      return result('in_doubt', outcome.code);
    case 'throttled':
      return result('pending', outcome.code, THROTTLED_BACK_OFF_MS);
    case 'not-sent':
      return result('pending', outcome.code, NOT_SENT_BACK_OFF_MS);
    case 'temporary':
      return result('pending', outcome.code, backOffMs(order.epoch));
    default:
      throw new Error(`unreachable: ${outcome satisfies never}`);
  }
}

/** Doubles with every claim of the order. Half of it is random, so that messages of one outage return one by one. */
function backOffMs(attempt: number): number {
  const full = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(full * (0.5 + Math.random() / 2));
}
