import { planSegments } from '#billing';
import type { TakenSegment } from '../history/carrier-log.js';
import type { StoredOrder, Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/**
 * I10: what the carrier took of a message is what was billed, segment by segment: each with its number, of as many, and
 * with the text that was cut for it, all joined by one reference in one form; or the whole message in one piece. What
 * is charged as sent is there in full.
 */
export function* billedIsWhatWentOut(indexes: Indexes): Generator<Violation> {
  for (const order of indexes.evidence.orders) {
    const fault = wireFault(order, indexes.takenByName.get(order.name) ?? []);
    if (fault === undefined) continue;
    yield indexes.violationOf(order, 'I10', `is ${order.state}, billed as ${order.segments} segments, and ${fault}`);
  }
}

const CHARGED_AS_SENT: readonly string[] = ['sent', 'delivered', 'undelivered', 'unknown'];

/** What differs first, or undefined. */
function wireFault(order: StoredOrder, taken: readonly TakenSegment[]): string | undefined {
  if (order.message === '') return undefined;
  const billed = planSegments(order.message).segments;
  if (billed.length !== order.segments) return `its text makes ${billed.length}`;
  const textOf = ({ total, position }: TakenSegment) => (total === undefined ? order.message : billed[position - 1]);
  const wrong = taken.find((segment) => segment.text !== textOf(segment));
  if (wrong !== undefined) return `the carrier took ${nameOf(wrong)} with a text that was not billed for it`;
  const strange = taken.find(({ total }) => total !== undefined && total !== order.segments);
  if (strange !== undefined) return `the carrier took ${nameOf(strange)}`;
  const ways = new Set(taken.map(({ total, joinedBy }) => (total === undefined ? 'whole' : joinedBy)));
  if (ways.size > 1) return `the carrier took it in several ways: ${[...ways].join(', ')}`;
  if (!CHARGED_AS_SENT.includes(order.state) || taken.some(({ total }) => total === undefined)) return undefined;
  const missing = billed.flatMap((_text, index) =>
    taken.some(({ position }) => position === index + 1) ? [] : index + 1,
  );
  return missing.length === 0 ? undefined : `the carrier never took segment ${missing.join(', ')}`;
}

function nameOf({ position, total }: TakenSegment): string {
  return total === undefined ? 'one piece' : `segment ${position} of ${total}`;
}
