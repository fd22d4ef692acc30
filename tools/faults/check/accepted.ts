import { acceptedAttempt, mayExist } from '../history/history.js';
import type { Bounds, Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/** I1: what was answered as accepted is in the database, under the ids that the answer gave, at every repeat. */
export function acknowledgedIsStored(indexes: Indexes): Violation[] {
  const violations: Violation[] = [];
  for (const { sent, attempts } of indexes.evidence.history.sends.values()) {
    const first = attempts.find(({ outcome }) => outcome === 'ok');
    if (first === undefined) continue;
    for (const [index, { name }] of sent.messages.entries()) {
      const id = first.ids?.[index] ?? '';
      const order = indexes.ordersById.get(id);
      if (order?.name === name && order.account === sent.account) continue;
      const says = order === undefined ? 'is not in the database' : `is the order of ${order.name}`;
      violations.push({ invariant: 'I1', says: `${name}, accepted as ${id}, ${says}`, lines: indexes.linesOf(name) });
    }
    for (const repeat of attempts.filter((attempt) => attempt.outcome === 'ok' && attempt !== first)) {
      if (String(repeat.ids) === String(first.ids)) continue;
      const says = `send ${sent.send} was answered with other ids the second time`;
      violations.push({ invariant: 'I1', says, lines: indexes.linesOf(sent.messages[0]?.name ?? '') });
    }
  }
  return violations;
}

/** I2: one order for each message of a logical send at most, all of a batch or none, and none that nobody asked for. */
export function onceForEachKey(indexes: Indexes): Violation[] {
  const violations: Violation[] = [];
  const violate = (says: string, name: string) =>
    violations.push({ invariant: 'I2', says, lines: indexes.linesOf(name) });
  for (const [name, orders] of indexes.ordersByName) {
    if (!indexes.storyByName.has(name)) violate(`order ${orders[0]?.id} is of no send`, name);
    if (orders.length > 1) violate(`${name} was stored ${orders.length} times: ${orders.map(({ id }) => id)}`, name);
  }
  for (const story of indexes.evidence.history.sends.values()) {
    const { send, messages } = story.sent;
    const stored = messages.filter(({ name }) => indexes.ordersByName.has(name)).length;
    const name = messages[0]?.name ?? '';
    if (stored > 0 && stored < messages.length) {
      violate(`of send ${send}, a batch of ${messages.length}, ${stored} messages are stored`, name);
    }
    if (stored > 0 && !mayExist(story)) violate(`send ${send} was only ever refused, and is stored`, name);
  }
  return violations;
}

/** What clients may see is bounded where a scenario says so, e.g. nothing at all in a rolling restart. */
export function clientsSawNoMore({ evidence }: Indexes, { clientErrorsMax }: Bounds): Violation[] {
  if (clientErrorsMax === undefined) return [];
  const seen = [...evidence.history.sends.values()]
    .flatMap(({ attempts }) => attempts)
    .filter(({ outcome }) => outcome === 'unknown' || outcome === 'refused');
  if (seen.length <= clientErrorsMax) return [];
  const says = `clients saw ${seen.length} errors, of ${clientErrorsMax} allowed`;
  return [{ invariant: 'client', says, lines: seen.map((attempt) => JSON.stringify(attempt)) }];
}

/** A send that was asked again to the end and still has no answer: the service was not there for the client. */
export function everySendWasAnswered({ evidence }: Indexes, { drainedAccounts }: Bounds): Violation[] {
  return [...evidence.history.sends.values()]
    .filter((story) => acceptedAttempt(story) === undefined)
    .filter(
      ({ sent, attempts }) =>
        drainedAccounts?.has(sent.account) !== true || attempts.at(-1)?.code !== 'insufficient_balance',
    )
    .map(({ sent, attempts }) => ({
      invariant: 'client',
      says: `send ${sent.send} was never accepted, though asked ${attempts.length} times`,
      lines: attempts.map((attempt) => JSON.stringify(attempt)),
    }));
}
