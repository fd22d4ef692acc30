import type { Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/**
 * I9, where the carrier sends receipts of all kinds: each segment and each order is in the state to which its receipts
 * lead, and the unmatched receipts are exactly those for foreign ids.
 */
export function statesFollowFromReceipts(indexes: Indexes): Violation[] {
  const { carrier, parked } = indexes.evidence;
  const missing = [...carrier.foreignIds].filter((id) => !parked.has(id));
  const matched = [...parked].filter((id) => !carrier.foreignIds.has(id));
  return [
    ...[...indexes.takenByName.keys()].flatMap((name) => [
      ...segmentFaults(indexes, name),
      ...orderFault(indexes, name),
    ]),
    ...missing.map((id) => violation(`the receipt for the foreign id ${id} is lost`, [])),
    ...matched.map((id) => violation(`the receipt for ${id} is unmatched, and the carrier gave that id`, [])),
  ];
}

function segmentFaults(indexes: Indexes, name: string): Violation[] {
  const [order] = indexes.ordersByName.get(name) ?? [];
  const segments = indexes.segmentsByOrder.get(order?.id ?? '') ?? [];
  return (indexes.takenByName.get(name) ?? []).flatMap(({ position, truth }) => {
    const state = segments.find((segment) => segment.position === position)?.state ?? 'missing';
    const expected = truth === 'unsettled' ? ['accepted', 'unknown'] : [truth.split('-')[0]];
    if (expected.includes(state)) return [];
    return [violation(`segment ${position} of ${name} is ${state}; its receipts say ${truth}`, indexes.linesOf(name))];
  });
}

/**
 * An undelivered order changes to delivered only. So an order with a segment that failed first and was delivered then,
 * and another segment without a receipt, ends as undelivered or unknown: it depends on when the receipts came.
 */
function orderFault(indexes: Indexes, name: string): Violation[] {
  const [order] = indexes.ordersByName.get(name) ?? [];
  if (order === undefined) return [];
  const truths = (indexes.takenByName.get(name) ?? []).map(({ truth }) => truth);
  const isDelivered = truths.every((truth) => truth.startsWith('delivered'));
  const expected = truths.includes('undelivered') ? 'undelivered' : isDelivered ? 'delivered' : 'unknown';
  if (order.state === expected) return [];
  const isEither = expected === 'unknown' && truths.includes('delivered-contradicted');
  if (isEither && order.state === 'undelivered') return [];
  return [violation(`${name} is ${order.state}; its receipts say ${expected}`, indexes.linesOf(name))];
}

function violation(says: string, lines: readonly string[]): Violation {
  return { invariant: 'I9', says, lines };
}
