import { formatMicros, type Micros } from '#billing';
import type { Violation } from './evidence.js';
import type { Indexes } from './indexes.js';

/**
 * By how much the accounts' consumption differs from what clients were told and the carrier took; 0 when all is well.
 */
export function driftOf(indexes: Indexes): Micros {
  return [...driftByAccount(indexes).values()].reduce((sum, drift) => sum + (drift < 0n ? -drift : drift), 0n);
}

/** I5: the ledger is clean, and every balance is what the history makes it. */
export function* balancesFollowFromHistory(indexes: Indexes): Generator<Violation> {
  const { evidence } = indexes;
  if (evidence.ledgerFault !== undefined) {
    yield { invariant: 'I5', says: 'smsctl ledger verify is not clean', lines: [evidence.ledgerFault] };
  }
  for (const { account, deposited } of evidence.balances) {
    const given = evidence.deposited.get(account) ?? 0n;
    if (deposited === given) continue;
    const says = `account ${account} was given ${formatMicros(given)} and has ${formatMicros(deposited)}`;
    yield indexes.violation('I5', says);
  }
  for (const [account, drift] of driftByAccount(indexes)) {
    if (drift === 0n) continue;
    yield indexes.violation('I5', `account ${account} was charged ${formatMicros(drift)} more than its history says`);
  }
}

/**
 * What the history says: every stored message by the segments that its sender made, less what failed orders gave back.
 */
function driftByAccount(indexes: Indexes): Map<string, Micros> {
  const { evidence, storyByName } = indexes;
  const drift = new Map(evidence.balances.map(({ account, reserved, captured }) => [account, reserved + captured]));
  const seen = new Set<string>();
  for (const order of evidence.orders) {
    const story = storyByName.get(order.name);
    // I2 says that it is stored twice; the price of a send is due once.
    if (story === undefined || seen.has(order.name)) continue;
    seen.add(order.name);
    const { account, messages } = story.sent;
    const segments = messages.find(({ name }) => name === order.name)?.segments ?? 0;
    const isGivenBack = order.state === 'failed' || order.state === 'canceled';
    const due = BigInt(isGivenBack ? indexes.distinctTaken(order.name) : segments) * indexes.segmentPrice(order);
    drift.set(account, (drift.get(account) ?? 0n) - due);
  }
  return drift;
}

/** I6: captured is the price of the different segments that the carrier took, each charged once. */
export function* capturedIsWhatTheCarrierTook(indexes: Indexes): Generator<Violation> {
  const { orders, balances } = indexes.evidence;
  const captures = new Map<string, Micros>();
  for (const order of orders) {
    const { account, name, state, amount } = order;
    if (state === 'scheduled' || state === 'queued' || state === 'sending') continue;
    const due = BigInt(indexes.distinctTaken(name)) * indexes.segmentPrice(order);
    captures.set(account, (captures.get(account) ?? 0n) + due);
    if (amount === due) continue;
    const charged = `was charged ${formatMicros(amount)}; the carrier took ${formatMicros(due)} of it`;
    yield indexes.violationOf(order, 'I6', `is ${state} and ${charged}`);
  }
  for (const { account, captured } of balances) {
    const due = captures.get(account) ?? 0n;
    if (captured === due) continue;
    const says = `account ${account} has ${formatMicros(captured)} captured; the carrier took ${formatMicros(due)}`;
    yield indexes.violation('I6', says);
  }
}
