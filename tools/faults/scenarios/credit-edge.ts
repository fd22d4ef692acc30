import { formatMicros } from '#billing';
import { type FaultAccount, UNIT_PRICE } from '../accounts.js';
import type { Field } from '../field.js';
import type { Scenario } from '../scenario.js';

const SENDERS = 64;
const RECIPIENT = '+4915171000000';
const RETRY_MS = 200;
const ROUND_TIMEOUT_MS = 120_000;

/** What ends the sends of an account: its money, or a guard in front of more money than it may spend. */
const EDGES = {
  'credit-edge': {
    says: '64 senders drain an account to its credit limit, a gateway is killed: exactly what it can pay is accepted',
    code: 'insufficient_balance',
  },
  'spend-edge': {
    says: '64 senders send up to the spend cap of an account, a gateway is killed: exactly what it may spend is accepted',
    code: 'spend_limit',
  },
} as const;
type Edge = keyof typeof EDGES;

export const creditEdge = scenarioOf('credit-edge');
export const spendEdge = scenarioOf('spend-edge');

function scenarioOf(name: Edge): Scenario {
  const { says, code } = EDGES[name];
  return {
    name,
    says,
    recovery: 'gateway killed -> it accepts again',
    rounds: 10,
    pauseMs: [200, 1_000],
    async strike(field, round) {
      const affordable = field.random.between(100, 600);
      // What does not buy a whole message stays.
      const limit = BigInt(affordable) * UNIT_PRICE + BigInt(field.random.between(0, Number(UNIT_PRICE) - 1));
      const account = await openAt(field, name, round, limit);
      const { accountId } = account;
      field.refusedFor.set(accountId, code);
      const deadlineMs = Date.now() + ROUND_TIMEOUT_MS;
      const senders = Array.from({ length: SENDERS }, () => sendUntil(field, account, code, deadlineMs));
      const draining = Promise.all(senders);
      const victim = field.random.pick(field.system.gateways);
      await Promise.race([field.pause(field.random.between(20, 600)), draining]);
      await field.killGateway(victim, name, `${victim.name} killed, account ${accountId}`);
      const accepted = (await draining).reduce((sum, count) => sum + count, 0);
      const { spent, orders } = await field.facts.spentBy(accountId);
      const could = `account ${accountId} could pay ${affordable} messages`;
      if (accepted !== affordable) field.complain(`${could}; ${accepted} were accepted`);
      if (spent > limit) field.complain(`account ${accountId} has spent ${spent} of ${limit} millionths`);
      if (orders !== affordable) field.complain(`${could}; ${orders} are stored`);
      field.mended(name);
      // The next account is drained by two gateways again, and what this one accepts says how long it was away.
      await victim.ready(field.signal);
    },
    async conclude(field) {
      field.measures.push(`${field.refusedFor.size} accounts drained by ${SENDERS} senders each`);
    },
  };
}

/** An account that can pay, or may spend, so much. */
async function openAt(field: Field, edge: Edge, round: number, limit: bigint): Promise<FaultAccount> {
  if (edge === 'credit-edge') return field.openAccount(`edge ${round}`, limit);
  const opened = await field.openAccount(`edge ${round}`, limit * 2n);
  // Of the month: a run may go on over midnight.
  await field.system.smsctl.run('guard', 'set', opened.accountId, '--spend-month', formatMicros(limit));
  return opened;
}

/**
 * One sender: message after message until one is refused with that code.
 *
 * @returns how many were accepted
 */
async function sendUntil(field: Field, account: FaultAccount, end: string, deadlineMs: number): Promise<number> {
  for (let accepted = 0; ; accepted += 1) {
    for await (const { outcome, code } of field.send(account, RECIPIENT)) {
      if (outcome === 'ok') break;
      if (code === end || Date.now() > deadlineMs) return accepted;
      await field.pause(RETRY_MS);
    }
    field.signal.throwIfAborted();
  }
}
