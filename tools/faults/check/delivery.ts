import { isLegalTransition, type OrderState } from '#billing';
import type { Bounds, StoredTransition, Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/** I3: whatever the carrier took is of an order that is stored: nothing goes out that nobody was charged for. */
export function everythingTakenIsStored(indexes: Indexes): Violation[] {
  return [...indexes.takenByName.keys()]
    .filter((name) => !indexes.ordersByName.has(name))
    .map((name) => ({
      invariant: 'I3',
      says: `the carrier took ${name === '' ? 'segments without a name' : name}, and no order is stored for it`,
      lines: indexes.linesOf(name),
    }));
}

/** I3: every segment of an order reached the carrier, or the order failed and what did not reach it was released. */
export function everySegmentReachedTheCarrier(indexes: Indexes): Violation[] {
  return indexes.evidence.orders
    .filter(({ name, segments, state, amount, price }) => {
      if (indexes.distinctTaken(name) >= segments) return false;
      return state !== 'failed' || amount >= price;
    })
    .map(({ id, name, segments, state }) => ({
      invariant: 'I3',
      says: `${name}, order ${id}, is ${state}: the carrier took ${indexes.distinctTaken(name)} of ${segments} segments`,
      lines: indexes.linesOf(name),
    }));
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
  return [{ invariant: 'I4', says, lines: names.flatMap(([name]) => indexes.linesOf(name)) }];
}

/** I7: the recorded transitions are legal ones and lead from `queued` to the state that the order has. */
export function onlyLegalTransitions(indexes: Indexes): Violation[] {
  return indexes.evidence.orders.flatMap(({ id, name, state }) => {
    const transitions = indexes.transitionsByOrder.get(id) ?? [];
    const illegal = transitions.find(({ from, to }) => !isLegalTransition(from, to));
    const reason =
      illegal === undefined
        ? brokenPath(transitions, state)
        : `went from ${illegal.from} to ${illegal.to}, which is not legal`;
    if (reason === undefined) return [];
    return [{ invariant: 'I7', says: `${name}, order ${id}, ${reason}`, lines: indexes.linesOf(name) }];
  });
}

/**
 * Whether there is a way along all edges from `queued` to the end: each state is left as often as it is entered, the
 * first one once more, the last one once less. (Times do not order them: a claim is dated by its transaction's start.)
 */
function brokenPath(transitions: readonly StoredTransition[], end: OrderState): string | undefined {
  const surplus = new Map<OrderState, number>();
  const add = (state: OrderState, by: number) => surplus.set(state, (surplus.get(state) ?? 0) + by);
  for (const { from, to } of transitions) {
    add(from, 1);
    add(to, -1);
  }
  add('queued', -1);
  add(end, 1);
  const odd = [...surplus].find(([, count]) => count !== 0);
  return odd && `its transitions do not lead from queued to ${end}: ${odd[0]} is left ${odd[1]} times too often`;
}

const OPEN: readonly OrderState[] = ['queued', 'sending', 'sent'];

/** I8: after settling nothing is open. */
export function nothingIsOpen(indexes: Indexes): Violation[] {
  return indexes.evidence.orders
    .filter(({ state }) => OPEN.includes(state))
    .map(({ id, name, state }) => ({
      invariant: 'I8',
      says: `${name}, order ${id}, is still ${state}`,
      lines: indexes.linesOf(name),
    }));
}

/** I9: a receipt that was acknowledged to the carrier is applied to its segment or parked. */
export function acknowledgedReceiptsAreKept(indexes: Indexes): Violation[] {
  const { carrier, parked } = indexes.evidence;
  return carrier.acknowledged.flatMap((receipt) => {
    if (parked.has(receipt.receiptId) || !isFinal(receipt.state)) return [];
    const taken = indexes.takenByCarrierId.get(receipt.carrierMessageId);
    const [order] = indexes.ordersByName.get(taken?.name ?? '') ?? [];
    const segments = indexes.segmentsByOrder.get(order?.id ?? '') ?? [];
    const state = segments.find(({ position }) => position === taken?.position)?.state;
    // Of two receipts for one segment the better one stays.
    const isApplied = state === 'delivered' || (state === 'undelivered' && receipt.state !== 'DELIVRD');
    if (isApplied) return [];
    const name = taken?.name ?? '(unknown)';
    const says = `the ${receipt.state} for ${name}, carrier id ${receipt.carrierMessageId}, was acknowledged and is lost`;
    return [{ invariant: 'I9', says, lines: [JSON.stringify(receipt), ...indexes.linesOf(name)] }];
  });
}

function isFinal(receiptState: string): boolean {
  return receiptState !== 'ENROUTE' && receiptState !== 'ACCEPTD';
}
