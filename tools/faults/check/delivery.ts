import { isLegalTransition, type OrderState } from '#billing';
import type { Bounds, StoredTransition, Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/** I3: whatever the carrier took is of an order that is stored: nothing goes out that nobody was charged for. */
export function* everythingTakenIsStored(indexes: Indexes): Generator<Violation> {
  for (const name of indexes.takenByName.keys()) {
    if (indexes.ordersByName.has(name)) continue;
    const what = name === '' ? 'segments without a name' : name;
    yield indexes.violation('I3', `the carrier took ${what}, and no order is stored for it`, name);
  }
}

/** I3: every segment of an order reached the carrier, or the order failed and what did not reach it was released. */
export function* everySegmentReachedTheCarrier(indexes: Indexes): Generator<Violation> {
  for (const order of indexes.evidence.orders) {
    const { name, segments, state, amount, price } = order;
    const taken = indexes.distinctTaken(name);
    if (taken >= segments || ((state === 'failed' || state === 'canceled') && amount < price)) continue;
    yield indexes.violationOf(order, 'I3', `is ${state}: the carrier took ${taken} of ${segments} segments`);
  }
}

/** Segments that the carrier took once more than it should have, for all messages together. */
export function countDuplicates(indexes: Indexes): number {
  let duplicates = 0;
  for (const [name, taken] of indexes.takenByName) duplicates += taken.length - indexes.distinctPieces(name);
  return duplicates;
}

/** I4: what reached a handset twice is bounded by the windows that were in flight when something died. */
export function duplicatesAreBounded(indexes: Indexes, { duplicatesMax }: Bounds): Violation[] {
  const duplicates = countDuplicates(indexes);
  if (duplicates <= duplicatesMax) return [];
  const names = [...indexes.takenByName].filter(([name, taken]) => taken.length > indexes.distinctPieces(name));
  const says = `${duplicates} segments were taken twice; the windows in flight excuse ${duplicatesMax}`;
  return [indexes.violation('I4', says, ...names.map(([name]) => name))];
}

/** I7: the recorded transitions are legal ones and lead from the first state to the one that the order has. */
export function* onlyLegalTransitions(indexes: Indexes): Generator<Violation> {
  const isScheduled = (name: string) => indexes.storyByName.get(name)?.sent.sendAtMs !== undefined;
  for (const order of indexes.evidence.orders) {
    const { id, name, state } = order;
    const transitions = indexes.transitionsByOrder.get(id) ?? [];
    const illegal = transitions.find(({ from, to }) => !isLegalTransition(from, to));
    const reason =
      illegal === undefined
        ? brokenPath(transitions, isScheduled(name) ? 'scheduled' : 'queued', state)
        : `went from ${illegal.from} to ${illegal.to}, which is not legal`;
    if (reason !== undefined) yield indexes.violationOf(order, 'I7', reason);
  }
}

/**
 * Whether there is a way along all edges from the start to the end: each state is left as often as it is entered, the
 * first one once more, the last one once less. (Times do not order them: a claim is dated by its transaction's start.)
 */
function brokenPath(transitions: readonly StoredTransition[], start: OrderState, end: OrderState): string | undefined {
  const surplus = new Map<OrderState, number>();
  const add = (state: OrderState, by: number) => surplus.set(state, (surplus.get(state) ?? 0) + by);
  for (const { from, to } of transitions) {
    add(from, 1);
    add(to, -1);
  }
  add(start, -1);
  add(end, 1);
  const odd = [...surplus].find(([, count]) => count !== 0);
  return odd && `its transitions do not lead from ${start} to ${end}: ${odd[0]} is left ${odd[1]} times too often`;
}

const OPEN: readonly OrderState[] = ['scheduled', 'queued', 'sending', 'sent'];

/** I8: after settling nothing is open. */
export function* nothingIsOpen(indexes: Indexes): Generator<Violation> {
  for (const order of indexes.evidence.orders) {
    if (OPEN.includes(order.state)) yield indexes.violationOf(order, 'I8', `is still ${order.state}`);
  }
}

const NOT_FINAL = ['ENROUTE', 'ACCEPTD'];

/** I9: a receipt that was acknowledged to the carrier is applied to its segment or kept as unmatched. */
export function* acknowledgedReceiptsAreKept(indexes: Indexes): Generator<Violation> {
  const { carrier, unmatched } = indexes.evidence;
  for (const { carrierMessageId, receiptId, state } of carrier.acknowledged) {
    if (unmatched.has(receiptId) || NOT_FINAL.includes(state)) continue;
    const { name = '(unknown)', position } = indexes.takenByCarrierId.get(carrierMessageId) ?? {};
    const stored = indexes.segmentOf(name, position)?.state;
    // Of two receipts for one segment the better one stays.
    if (stored === 'delivered' || (stored === 'undelivered' && state !== 'DELIVRD')) continue;
    const says = `the ${state} for ${name}, carrier id ${carrierMessageId}, was acknowledged and is lost`;
    yield indexes.violation('I9', says, name);
  }
}
