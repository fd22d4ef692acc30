import type { Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/**
 * I9, where the carrier sends receipts of all kinds: each segment and each order is in the state to which its receipts
 * lead, and the unmatched receipts are exactly those for foreign ids.
 */
export function* statesFollowFromReceipts(indexes: Indexes): Generator<Violation> {
  for (const name of indexes.takenByName.keys()) {
    yield* segmentsFollow(indexes, name);
    yield* orderFollows(indexes, name);
  }
  const { carrier, unmatched } = indexes.evidence;
  for (const id of carrier.foreignIds) {
    if (!unmatched.has(id)) yield indexes.violation('I9', `the receipt for the foreign id ${id} is lost`);
  }
  for (const id of unmatched) {
    if (carrier.foreignIds.has(id)) continue;
    yield indexes.violation('I9', `the receipt for ${id} is unmatched, and the carrier gave that id`);
  }
}

function* segmentsFollow(indexes: Indexes, name: string): Generator<Violation> {
  for (const { position, truth } of indexes.takenByName.get(name) ?? []) {
    const state = indexes.segmentOf(name, position)?.state ?? 'missing';
    const expected = truth === 'unsettled' ? ['accepted', 'unknown'] : truth.split('-').slice(0, 1);
    if (expected.includes(state)) continue;
    yield indexes.violation('I9', `segment ${position} of ${name} is ${state}; its receipts say ${truth}`, name);
  }
}

/**
 * An undelivered order changes to delivered only. So an order with a segment that failed first and was delivered then,
 * and another segment without a receipt, ends as undelivered or unknown: it depends on when the receipts came.
 */
function* orderFollows(indexes: Indexes, name: string): Generator<Violation> {
  const [order] = indexes.ordersByName.get(name) ?? [];
  if (order === undefined) return;
  const truths = (indexes.takenByName.get(name) ?? []).map(({ truth }) => truth);
  const isDelivered = truths.every((truth) => truth.startsWith('delivered'));
  const expected = truths.includes('undelivered') ? 'undelivered' : isDelivered ? 'delivered' : 'unknown';
  const isEither = expected === 'unknown' && truths.includes('delivered-contradicted');
  if (order.state === expected || (isEither && order.state === 'undelivered')) return;
  yield indexes.violation('I9', `${name} is ${order.state}; its receipts say ${expected}`, name);
}
