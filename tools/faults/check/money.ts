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
export function balancesFollowFromHistory(indexes: Indexes): Violation[] {
  const { evidence } = indexes;
  const violations: Violation[] = [];
  if (evidence.ledgerFault !== undefined) {
    violations.push({ invariant: 'I5', says: 'smsctl ledger verify is not clean', lines: [evidence.ledgerFault] });
  }
  for (const { account, deposited } of evidence.balances) {
    const given = evidence.deposited.get(account) ?? 0n;
    if (deposited === given) continue;
    const says = `account ${account} was given ${formatMicros(given)} and has ${formatMicros(deposited)}`;
    violations.push({ invariant: 'I5', says, lines: [] });
  }
  for (const [account, drift] of driftByAccount(indexes)) {
    if (drift === 0n) continue;
    const says = `account ${account} was charged ${formatMicros(drift)} more than its history says`;
    violations.push({ invariant: 'I5', says, lines: [] });
  }
  return violations;
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
    // Twice stored is charged once by right.
    if (story === undefined || seen.has(order.name)) continue;
    seen.add(order.name);
    const { account, messages } = story.sent;
    const segments = messages.find(({ name }) => name === order.name)?.segments ?? 0;
    const due = BigInt(order.state === 'failed' ? indexes.distinctTaken(order.name) : segments) * evidence.unitPrice;
    drift.set(account, (drift.get(account) ?? 0n) - due);
  }
  return drift;
}

/** I6: captured is the price of the different segments that the carrier took, each charged once. */
export function capturedIsWhatTheCarrierTook(indexes: Indexes): Violation[] {
  const { orders, balances, unitPrice } = indexes.evidence;
  const violations: Violation[] = [];
  for (const { id, name, state, amount } of orders) {
    if (state === 'queued' || state === 'sending') continue;
    const due = BigInt(indexes.distinctTaken(name)) * unitPrice;
    if (amount === due) continue;
    const says = `${name}, order ${id}, is ${state} and was charged ${formatMicros(amount)}; the carrier took ${formatMicros(due)} of it`;
    violations.push({ invariant: 'I6', says, lines: indexes.linesOf(name) });
  }
  for (const { account, captured } of balances) {
    const due = orders
      .filter((order) => order.account === account && order.state !== 'queued' && order.state !== 'sending')
      .reduce((sum, { name }) => sum + BigInt(indexes.distinctTaken(name)) * unitPrice, 0n);
    if (captured === due) continue;
    const says = `account ${account} has ${formatMicros(captured)} captured; the carrier took ${formatMicros(due)}`;
    violations.push({ invariant: 'I6', says, lines: [] });
  }
  return violations;
}
