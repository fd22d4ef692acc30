import { HEARD_STATUSES } from '../../harness/event-receiver.js';
import type { Violation } from './evidence.js';
import { groupedBy, type Indexes } from './indexes.js';

const HEARD: ReadonlySet<string> = new Set(HEARD_STATUSES);

/** I13, at the end, when every message is final: clients are told once of each batch, by one event. */
export function* batchesAreTold(indexes: Indexes): Generator<Violation> {
  const { heard, batches } = indexes.evidence;
  if (heard === undefined) return;
  const told = groupedBy([...heard.batches.values()], ({ batchId }) => batchId);
  for (const { id, messages } of batches) {
    const events = told.get(id) ?? [];
    if (events.length !== 1) {
      yield indexes.violation('I13', `${events.length} events instead of one tell that batch ${id} is completed`);
    } else if (events[0]?.messages !== messages) {
      const says = `batch ${id} has ${messages} messages, and a client was told ${events[0]?.messages}`;
      yield indexes.violation('I13', says);
    }
  }
  const known = new Set(batches.map(({ id }) => id));
  for (const id of told.keys()) {
    if (!known.has(id)) yield indexes.violation('I13', `a client was told of batch ${id}, which is not there`);
  }
}

/** I13: clients are told of each change of each message, by one event, and of none that did not happen. */
export function* clientsAreTold(indexes: Indexes): Generator<Violation> {
  const { heard, transitions } = indexes.evidence;
  if (heard === undefined) return;
  const happened = new Set(transitions.map(({ orderId, to }) => `${orderId} ${to}`));
  for (const { id, name } of indexes.evidence.orders) {
    for (const { to } of indexes.transitionsByOrder.get(id) ?? []) {
      if (!HEARD.has(to) || heard.changes.has(`${id} ${to}`)) continue;
      yield indexes.violation('I13', `nobody was told that ${name}, order ${id}, is ${to}`, name);
    }
  }
  for (const [change, ids] of heard.changes) {
    const isTrue = happened.has(change);
    if (isTrue && ids.size === 1) continue;
    const [id = '', status] = change.split(' ');
    const name = indexes.ordersById.get(id)?.name ?? '';
    const fault = isTrue ? `by ${ids.size} events` : 'which never was';
    yield indexes.violation('I13', `a client was told that order ${id} is ${status}, ${fault}`, name);
  }
}
