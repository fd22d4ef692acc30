import type { OptOutRecord } from '../history/history.js';
import type { Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

const CANCELED = 200;
/** By how much the clocks of one machine's processes may differ in a log. */
const CLOCK_MS = 5;

/**
 * I11: what was answered as canceled is canceled, nothing else is, and no carrier has seen any of it. What it cost was
 * given back (I5 and I6 say so for every order).
 */
export function* canceledStaysHere(indexes: Indexes): Generator<Violation> {
  const asked = new Map<string, boolean>();
  for (const { cancels } of indexes.evidence.history.sends.values()) {
    for (const { id, status } of cancels) asked.set(id, asked.get(id) === true || status === CANCELED);
  }
  for (const order of indexes.evidence.orders) {
    const { name, state, amount } = order;
    const wasCanceled = asked.get(order.id) === true;
    if (wasCanceled && state !== 'canceled') {
      yield indexes.violationOf(order, 'I11', `was answered as canceled and is ${state}`);
    }
    if (state !== 'canceled') continue;
    if (!isAskedFor(indexes, name) && optOutOf(indexes, name) === undefined) {
      yield indexes.violationOf(order, 'I11', 'nobody canceled');
    }
    if (amount !== 0n) yield indexes.violationOf(order, 'I11', 'is canceled and still charged');
    if (indexes.takenByName.has(name)) {
      yield indexes.violationOf(order, 'I11', 'is canceled, and the carrier took some of it');
    }
  }
}

/** A cancel whose answer was lost has no record, so only its intent is known: the first message of a send. */
function isAskedFor(indexes: Indexes, name: string): boolean {
  return indexes.storyByName.get(name)?.sent.messages[0]?.name === name;
}

/** I12: what is to be sent later reaches no carrier before its time. */
export function* nothingGoesEarly(indexes: Indexes): Generator<Violation> {
  for (const [name, taken] of indexes.takenByName) {
    const sendAtMs = indexes.storyByName.get(name)?.sent.sendAtMs;
    const first = Math.min(...taken.map(({ atMs }) => atMs));
    if (sendAtMs === undefined || first >= sendAtMs - CLOCK_MS) continue;
    yield indexes.violation('I12', `${name} reached the carrier ${sendAtMs - first} ms before its time`, name);
  }
}

/** A stalled process or a lost server may delay what cancels the messages that wait, by no more than that. */
const OBEYED_WITHIN_MS = 60_000;

/** I14: nothing that is sent to an opted-out number is accepted, and what waited for it does not go out. */
export function* optOutsAreObeyed(indexes: Indexes): Generator<Violation> {
  for (const [name, story] of indexes.storyByName) {
    const optOut = optOutOf(indexes, name);
    if (optOut === undefined) continue;
    const { recipient, heldFromMs } = optOut;
    if (story.sent.atMs >= heldFromMs && indexes.ordersByName.has(name)) {
      yield indexes.violation('I14', `${name} was accepted after ${recipient} had opted out`, name);
    }
    const last = Math.max(...(indexes.takenByName.get(name) ?? []).map(({ atMs }) => atMs));
    if (last <= heldFromMs + OBEYED_WITHIN_MS) continue;
    const late = `${name} reached the carrier ${last - heldFromMs} ms after ${recipient} had opted out`;
    yield indexes.violation('I14', late, name);
  }
}

/** The opt-out that came after a message was sent, or before it. */
function optOutOf({ evidence, storyByName }: Indexes, name: string): OptOutRecord | undefined {
  const sent = storyByName.get(name)?.sent;
  return evidence.history.optOuts.find(
    ({ account, recipient, heldUntilMs }) =>
      account === sent?.account && recipient === sent.messages[0]?.recipient && sent.atMs < heldUntilMs,
  );
}
