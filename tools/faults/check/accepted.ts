import { acceptedAttempt, mayExist, type SendStory } from '../history/history.js';
import type { Bounds, Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/** I1: what was answered as accepted is in the database, under the ids that the answer gave, at every repeat. */
export function* acknowledgedIsStored(indexes: Indexes): Generator<Violation> {
  for (const story of indexes.evidence.history.sends.values()) {
    const { sent, attempts } = story;
    const first = acceptedAttempt(story);
    for (const [index, { name }] of sent.messages.entries()) {
      const id = first?.ids?.[index] ?? '';
      const order = indexes.ordersById.get(id);
      if (first === undefined || (order?.name === name && order.account === sent.account)) continue;
      const says = order === undefined ? 'is not in the database' : `is the order of ${order.name}`;
      yield indexes.violation('I1', `${name}, accepted as ${id}, ${says}`, name);
    }
    const isOther = attempts.some(({ outcome, ids }) => outcome === 'ok' && String(ids) !== String(first?.ids));
    if (!isOther) continue;
    const says = `send ${sent.send} was answered with other ids the second time`;
    yield indexes.violation('I1', says, sent.messages[0]?.name ?? '');
  }
}

/** I2: one order for each message of a logical send at most, all of a batch or none, and none that nobody asked for. */
export function* onceForEachKey(indexes: Indexes): Generator<Violation> {
  for (const [name, orders] of indexes.ordersByName) {
    const ids = orders.map(({ id }) => id);
    if (!indexes.storyByName.has(name)) yield indexes.violation('I2', `order ${ids[0]} is of no send`, name);
    if (ids.length > 1) yield indexes.violation('I2', `${name} was stored ${ids.length} times: ${ids}`, name);
  }
  for (const story of indexes.evidence.history.sends.values()) {
    const { send, messages } = story.sent;
    const stored = messages.filter(({ name }) => indexes.ordersByName.has(name)).length;
    const name = messages[0]?.name ?? '';
    if (stored > 0 && stored < messages.length) {
      const says = `of send ${send}, a batch of ${messages.length}, ${stored} messages are stored`;
      yield indexes.violation('I2', says, name);
    }
    if (stored > 0 && !mayExist(story)) {
      yield indexes.violation('I2', `send ${send} was only ever refused, and is stored`, name);
    }
  }
}

/** What clients may see is bounded where a scenario says so, e.g. nothing at all in a rolling restart. */
export function clientsSawNoMore({ evidence }: Indexes, { clientErrorsMax, clockAheadMs }: Bounds): Violation[] {
  const seen = [...evidence.history.sends.values()].flatMap(({ sent, attempts }) =>
    attempts
      .filter(({ outcome }) => outcome === 'unknown' || outcome === 'refused')
      .filter((attempt) => !isOverdue(sent, attempt, clockAheadMs)),
  );
  if (clientErrorsMax === undefined || seen.length <= clientErrorsMax) return [];
  const says = `clients saw ${seen.length} errors, of ${clientErrorsMax} allowed`;
  return [{ invariant: 'client', says, lines: seen.map((attempt) => JSON.stringify(attempt)) }];
}

/** A send that was asked again to the end and still has no answer: the service was not there for the client. */
export function everySendWasAnswered({ evidence }: Indexes, { refusedFor, clockAheadMs }: Bounds): Violation[] {
  return [...evidence.history.sends.values()]
    .filter((story) => acceptedAttempt(story) === undefined)
    .filter(({ sent, attempts }) => {
      const code = refusedFor?.get(sent.account);
      return code === undefined || attempts.at(-1)?.code !== code;
    })
    .filter(({ sent, attempts }) => !isOverdue(sent, attempts.at(-1), clockAheadMs))
    .map(({ sent, attempts }) => ({
      invariant: 'client',
      says: `send ${sent.send} was never accepted, though asked ${attempts.length} times`,
      lines: attempts.map((attempt) => JSON.stringify(attempt)),
    }));
}

/**
 * The time of the send passed before a gateway looked at it, or had passed by a gateway's wrong clock: refused then, it
 * is for the client to ask for another time.
 */
function isOverdue({ sendAtMs }: SendStory['sent'], attempt: SendStory['attempts'][number] | undefined, aheadMs = 0) {
  return attempt?.code === 'send_at_invalid' && sendAtMs !== undefined && sendAtMs <= attempt.endedAtMs + aheadMs;
}
